//! What devices count.

/// Counters of a device since it was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DeviceStats {
    /// Kernels compiled.
    pub compiled: u64,
    /// Compiled kernels kept now: neither forgotten nor waited for by queued work.
    pub codes: u64,
    /// Kernels launched.
    pub launches: u64,
    /// Builtins run.
    pub builtins: u64,
    /// Loops whose parts other threads could take. Of devices that share their threads, the first one
    /// counts.
    pub shared_loops: u64,
    /// Who made products of matrices.
    pub products: ProductStats,
    /// Bytes allocated now (not what a pool keeps for reuse).
    pub bytes_in_use: u64,
    /// The largest value of `bytes_in_use`.
    pub bytes_peak: u64,
    /// Bytes that a pool keeps mapped for reuse.
    pub bytes_pooled: u64,
    /// Failures that nobody was told of yet.
    pub faults: u64,
    /// What became of the work of plans that repeat. Of devices that do it together, the first one
    /// counts.
    pub graphs: GraphStats,
    /// How much of the loops is machine code made for them.
    pub native: NativeStats,
    /// How the nests of kernels by rows ran, on CPUs.
    pub rows: RowStats,
}

impl DeviceStats {
    /// The counts of both; the most bytes at once are added, too.
    ///
    /// ```
    /// use darray_device::DeviceStats;
    /// let one = DeviceStats { launches: 1, bytes_peak: 8, ..DeviceStats::default() };
    /// let two = DeviceStats { launches: 2, bytes_peak: 16, ..DeviceStats::default() };
    /// assert_eq!(one.plus(&one), two);
    /// ```
    pub fn plus(&self, other: &DeviceStats) -> DeviceStats {
        DeviceStats {
            compiled: self.compiled + other.compiled,
            codes: self.codes + other.codes,
            launches: self.launches + other.launches,
            builtins: self.builtins + other.builtins,
            shared_loops: self.shared_loops + other.shared_loops,
            products: self.products.plus(&other.products),
            bytes_in_use: self.bytes_in_use + other.bytes_in_use,
            bytes_peak: self.bytes_peak + other.bytes_peak,
            bytes_pooled: self.bytes_pooled + other.bytes_pooled,
            faults: self.faults + other.faults,
            graphs: self.graphs.plus(&other.graphs),
            native: self.native.plus(&other.native),
            rows: self.rows.plus(&other.rows),
        }
    }
}

/// Counters of products of matrices, where a vendor's library is asked for them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProductStats {
    /// The library made them.
    pub library: u64,
    /// It did not take them (other element types, strides that it does not know), so the device's own kernels
    /// made them.
    pub refused: u64,
}

impl ProductStats {
    /// The counts of both.
    ///
    /// ```
    /// use darray_device::ProductStats;
    /// let one = ProductStats { library: 1, refused: 2 };
    /// assert_eq!(one.plus(&one), ProductStats { library: 2, refused: 4 });
    /// ```
    pub fn plus(&self, other: &ProductStats) -> ProductStats {
        let (library, refused) = (self.library + other.library, self.refused + other.refused);
        ProductStats { library, refused }
    }

    /// What these counts are above earlier ones.
    ///
    /// ```
    /// use darray_device::ProductStats;
    /// let one = ProductStats { library: 1, refused: 2 };
    /// assert_eq!(one.since(&one), ProductStats::default());
    /// ```
    pub fn since(&self, earlier: &ProductStats) -> ProductStats {
        let (library, refused) = (self.library - earlier.library, self.refused - earlier.refused);
        ProductStats { library, refused }
    }
}

/// Counters of work that a device records and replays; see [`Device::begin`](crate::Device::begin).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GraphStats {
    /// Graphs made of new work, and launched.
    pub recorded: u64,
    /// Graphs launched again.
    pub replayed: u64,
    /// Graphs made of the work of one that there was, since its earlier arguments came back, and
    /// launched.
    pub variants: u64,
    /// Kernels and copies in replayed graphs that were given other arguments first.
    pub updated: u64,
    /// Graphs that did not take other arguments, and were made anew.
    pub refused: u64,
    /// Times that a graph could not be made, or launched for want of memory, so that its kernels and copies
    /// went one by one.
    pub single: u64,
    /// Times that a program's own task asked for its stream: what it queued there is in no graph.
    pub apart: u64,
}

impl GraphStats {
    /// Graphs that were launched.
    ///
    /// ```
    /// use darray_device::GraphStats;
    /// let stats = GraphStats { recorded: 2, replayed: 48, ..GraphStats::default() };
    /// assert_eq!(stats.launches(), 50);
    /// ```
    pub fn launches(&self) -> u64 {
        self.recorded + self.replayed + self.variants + self.refused
    }

    /// The counts of both.
    ///
    /// ```
    /// use darray_device::GraphStats;
    /// let one = GraphStats { recorded: 1, ..GraphStats::default() };
    /// assert_eq!(one.plus(&one).recorded, 2);
    /// ```
    pub fn plus(&self, other: &GraphStats) -> GraphStats {
        self.combined(other, u64::wrapping_add)
    }

    /// What these counts are above earlier ones.
    ///
    /// ```
    /// use darray_device::GraphStats;
    /// let one = GraphStats { replayed: 5, ..GraphStats::default() };
    /// assert_eq!(one.since(&one), GraphStats::default());
    /// ```
    pub fn since(&self, earlier: &GraphStats) -> GraphStats {
        self.combined(earlier, u64::wrapping_sub)
    }

    fn combined(&self, other: &GraphStats, of: impl Fn(u64, u64) -> u64) -> GraphStats {
        GraphStats {
            recorded: of(self.recorded, other.recorded),
            replayed: of(self.replayed, other.replayed),
            variants: of(self.variants, other.variants),
            updated: of(self.updated, other.updated),
            refused: of(self.refused, other.refused),
            single: of(self.single, other.single),
            apart: of(self.apart, other.apart),
        }
    }
}

/// Loop nests by how much of them is machine code that was made for them rather than interpreted. A nest counts
/// once for every layout of its arrays that it met.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NativeStats {
    /// All of it.
    pub whole: u64,
    /// Nothing was to be made: what copies elements, draws random numbers or is a simple operator alone has loops that are always
    /// there, and so has what is computed once for a row or a whole nest rather than for its elements.
    pub ready: u64,
    /// Some.
    pub part: u64,
    /// None; also where code is not made at all.
    pub none: u64,
    /// Interpreted instructions that have no machine code.
    pub unknown: u64,
    /// Interpreted folds: those one element after another, and along another number of lanes than the
    /// standard tree has.
    pub folds: u64,
    /// Functions that the system gave no memory for.
    pub memory: u64,
}

impl NativeStats {
    /// The counts of both.
    ///
    /// ```
    /// use darray_device::NativeStats;
    /// let one = NativeStats { whole: 1, ..NativeStats::default() };
    /// assert_eq!(one.plus(&one).whole, 2);
    /// ```
    pub fn plus(&self, other: &NativeStats) -> NativeStats {
        self.combined(other, u64::wrapping_add)
    }

    /// What these counts are above earlier ones.
    ///
    /// ```
    /// use darray_device::NativeStats;
    /// let one = NativeStats { part: 5, ..NativeStats::default() };
    /// assert_eq!(one.since(&one), NativeStats::default());
    /// ```
    pub fn since(&self, earlier: &NativeStats) -> NativeStats {
        self.combined(earlier, u64::wrapping_sub)
    }

    fn combined(&self, other: &NativeStats, of: impl Fn(u64, u64) -> u64) -> NativeStats {
        NativeStats {
            whole: of(self.whole, other.whole),
            ready: of(self.ready, other.ready),
            part: of(self.part, other.part),
            none: of(self.none, other.none),
            unknown: of(self.unknown, other.unknown),
            folds: of(self.folds, other.folds),
            memory: of(self.memory, other.memory),
        }
    }
}

/// Launches of kernels by rows by how the CPU ran their nests. Those that had one nest to run, or no rows, do not
/// count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RowStats {
    /// Together, a block of rows at a time, on one thread.
    pub alone: u64,
    /// The same on several threads, each with rows of its own.
    pub shared: u64,
    /// One after the other, each shared by the threads: parts of the rows that are whole leaves of all folds
    /// over rows would be too few or too unequal, or the folds would hold too much of each. What nests read
    /// together is read by each.
    pub apart: u64,
    /// One after the other, though they could run together: a second-level cache holds what they read, or one goes through
    /// so much more than the others that there is nothing to read together.
    pub unrelated: u64,
}

impl RowStats {
    /// The counts of both.
    ///
    /// ```
    /// use darray_device::RowStats;
    /// let one = RowStats { shared: 1, ..RowStats::default() };
    /// assert_eq!(one.plus(&one).shared, 2);
    /// ```
    pub fn plus(&self, other: &RowStats) -> RowStats {
        self.combined(other, u64::wrapping_add)
    }

    /// What these counts are above earlier ones.
    ///
    /// ```
    /// use darray_device::RowStats;
    /// let one = RowStats { apart: 5, ..RowStats::default() };
    /// assert_eq!(one.since(&one), RowStats::default());
    /// ```
    pub fn since(&self, earlier: &RowStats) -> RowStats {
        self.combined(earlier, u64::wrapping_sub)
    }

    fn combined(&self, other: &RowStats, of: impl Fn(u64, u64) -> u64) -> RowStats {
        RowStats {
            alone: of(self.alone, other.alone),
            shared: of(self.shared, other.shared),
            apart: of(self.apart, other.apart),
            unrelated: of(self.unrelated, other.unrelated),
        }
    }
}
