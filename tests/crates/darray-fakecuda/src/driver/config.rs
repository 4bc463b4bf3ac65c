//! Settings: how many devices, how much memory, which schedule, what fails.

use super::code::Code;

/// The order in which work that could run runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Schedule {
    /// Work runs when it is submitted, as far as its waits allow.
    Eager,
    /// Work stays queued until something waits for it; then streams take turns at random.
    Random(u64),
}

/// A call that fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Which call, from 1.
    pub call: u64,
    /// With which result.
    pub code: Code,
}

/// The settings.
#[derive(Clone, Debug)]
pub struct Config {
    /// How many devices there are.
    pub devices: usize,
    /// The order of work.
    pub schedule: Schedule,
    /// The CUDA version that the driver knows, 1000 per major one: PTX of later major versions is refused. None: of
    /// any.
    pub version: Option<u32>,
    /// Bytes of memory of each device.
    pub memory: u64,
    /// Bytes that must be free on a device for a graph to be launched there.
    pub graph_memory: u64,
    /// Whether devices may reach each other's memory once that is enabled.
    pub peers: bool,
    /// Whose memory a device can reach at once, at most.
    pub most_peers: u64,
    /// The call that fails.
    pub fail: Option<Failure>,
    /// Whether all calls after that one fail, too.
    pub lasting: bool,
    /// The wait of a stream for an event that is left out, from 1.
    pub skip_wait: Option<u64>,
    /// The edge of instantiated graphs that is left out, from 1.
    pub skip_edge: Option<u64>,
    /// Whether nodes of instantiated graphs take new parameters.
    pub updates: bool,
    /// Whether warps of a block take turns in random order.
    pub shuffle_warps: bool,
    /// Whether work that reaches the same bytes without order is an error.
    pub races: bool,
    /// Whether every call is printed.
    pub trace: bool,
    /// Whether faults of kernels are printed.
    pub quiet: bool,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            devices: 2,
            schedule: Schedule::Eager,
            version: None,
            memory: 16 << 30,
            graph_memory: 0,
            peers: true,
            most_peers: u64::MAX,
            fail: None,
            lasting: false,
            skip_wait: None,
            skip_edge: None,
            updates: true,
            shuffle_warps: true,
            races: false,
            trace: false,
            quiet: false,
        }
    }
}

/// Variables of the environment and the settings that they give.
const VARIABLES: [(&str, &str); 16] = [
    ("FAKECUDA_DEVICES", "devices"),
    ("FAKECUDA_SCHED", "sched"),
    ("FAKECUDA_VERSION", "version"),
    ("FAKECUDA_MEMORY", "memory"),
    ("FAKECUDA_GRAPH_MEMORY", "graph_memory"),
    ("FAKECUDA_PEERS", "peers"),
    ("FAKECUDA_MOST_PEERS", "most_peers"),
    ("FAKECUDA_FAIL", "fail"),
    ("FAKECUDA_LASTING", "lasting"),
    ("FAKECUDA_SKIP_WAIT", "skip_wait"),
    ("FAKECUDA_SKIP_EDGE", "skip_edge"),
    ("FAKECUDA_UPDATES", "updates"),
    ("FAKECUDA_SHUFFLE_WARPS", "shuffle_warps"),
    ("FAKECUDA_RACES", "races"),
    ("FAKECUDA_TRACE", "trace"),
    ("FAKECUDA_QUIET", "quiet"),
];

impl Config {
    /// The settings of the environment; what cannot be read is reported and left as it is.
    pub fn from_environment() -> Config {
        let mut config = Config::default();
        for (variable, setting) in VARIABLES {
            if let Ok(value) = std::env::var(variable)
                && let Err(why) = config.set(setting, &value)
            {
                eprintln!("[fakecuda] {variable}: {why}");
            }
        }
        config
    }

    /// Applies `devices=2 sched=random:7 fail=12:2`.
    ///
    /// Errors: which setting is unknown or cannot have the value.
    pub fn apply(&mut self, text: &str) -> Result<(), String> {
        for word in text.split_whitespace() {
            let Some((setting, value)) = word.split_once('=') else {
                return Err(format!("{word} is not of the form setting=value"));
            };
            self.set(setting, value)?;
        }
        Ok(())
    }

    fn set(&mut self, setting: &str, value: &str) -> Result<(), String> {
        let number = |text: &str| -> Result<u64, String> {
            text.parse().map_err(|_| format!("{setting}: {text} is no number"))
        };
        let switch = |text: &str| match text {
            "1" | "on" | "true" | "yes" => Ok(true),
            "0" | "off" | "false" | "no" => Ok(false),
            _ => Err(format!("{setting}: {text} is neither on nor off")),
        };
        match setting {
            "devices" => self.devices = (number(value)? as usize).min(super::heap::MOST_DEVICES),
            "sched" => {
                self.schedule = match value.split_once(':') {
                    None if value == "eager" => Schedule::Eager,
                    None if value == "random" => Schedule::Random(1),
                    Some(("random", seed)) => Schedule::Random(number(seed)?),
                    _ => return Err(format!("{value} is neither eager nor random:SEED")),
                }
            }
            "version" => self.version = Some(number(value)? as u32),
            "memory" => self.memory = number(value)?,
            "graph_memory" => self.graph_memory = number(value)?,
            "peers" => self.peers = switch(value)?,
            "most_peers" => self.most_peers = number(value)?,
            "fail" => {
                let (call, code) = value.split_once(':').unwrap_or((value, "999"));
                let (call, code) = (number(call)?, Code(number(code)? as u32));
                self.fail = (call > 0).then_some(Failure { call, code });
            }
            "lasting" => self.lasting = switch(value)?,
            "skip_wait" => self.skip_wait = Some(number(value)?).filter(|at| *at > 0),
            "skip_edge" => self.skip_edge = Some(number(value)?).filter(|at| *at > 0),
            "updates" => self.updates = switch(value)?,
            "shuffle_warps" => self.shuffle_warps = switch(value)?,
            "races" => self.races = switch(value)?,
            "trace" => self.trace = switch(value)?,
            "quiet" => self.quiet = switch(value)?,
            _ => return Err(format!("{setting} is no setting")),
        }
        Ok(())
    }
}
