//! Bodies that attract each other, every one every other.

use darray::{DArray, Float, NewAxis, default_rng, s};

/// Added to distances, so that close bodies do not fly apart.
const SOFTENING: f64 = 0.1;

/// Bodies: their coordinates and velocities along three axes, and their masses.
pub struct Bodies<T: Float> {
    /// Coordinates.
    pub position: [DArray<T>; 3],
    /// Velocities.
    pub velocity: [DArray<T>; 3],
    /// Masses, one in all.
    pub mass: DArray<T>,
}

impl<T: Float> Bodies<T> {
    /// `n` bodies in a cube around zero.
    pub fn new(n: usize) -> Bodies<T> {
        let mut random = default_rng(17);
        let mut draw = |scale: f64| (scale * (random.random(n) - 0.5)).cast();
        Bodies {
            position: [draw(2.0), draw(2.0), draw(2.0)],
            velocity: [draw(0.1), draw(0.1), draw(0.1)],
            mass: DArray::full(n, T::from(1.0 / n as f64)),
        }
    }

    /// What all bodies together do to each of them.
    pub fn acceleration(&self) -> [DArray<T>; 3] {
        // [i, j] is the way from body i to body j.
        let [dx, dy, dz] = self.position.each_ref().map(|x| x - x.slice(s![.., NewAxis]));
        let squared = &dx * &dx + &dy * &dy + &dz * &dz + T::from(SOFTENING * SOFTENING);
        let pull = &self.mass / (&squared * squared.sqrt());
        [dx, dy, dz].map(|d| (d * &pull).sum(1))
    }

    /// Moves the bodies for a time `dt`.
    pub fn step(&mut self, dt: f64) {
        let dt = T::from(dt);
        for (axis, acceleration) in self.acceleration().into_iter().enumerate() {
            self.velocity[axis] += dt * acceleration;
            self.position[axis] += dt * &self.velocity[axis];
        }
    }
}

#[allow(dead_code)]
fn main() {
    let mut bodies = Bodies::<f64>::new(200);
    let momentum = |bodies: &Bodies<f64>| {
        bodies.velocity.each_ref().map(|v| (v * &bodies.mass).sum(..).item())
    };
    let before = momentum(&bodies);
    for _ in 0..50 {
        bodies.step(0.01);
    }
    let after = momentum(&bodies);
    println!("momentum {after:?}");

    // Forces come in pairs, so that nothing moves the whole.
    assert!(before.iter().zip(after).all(|(b, a)| (b - a).abs() < 1e-14));
}
