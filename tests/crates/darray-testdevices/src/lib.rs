//! Devices for tests.
//!
//! - [`ReferenceDevice`]: runs kernels by the reference interpreter, and builtins element by element.
//! - [`AdversarialDevice`]: delays the commands of another device and runs them in any legal order.
//! - [`FaultyDevices`]: other devices, whose builtins fail on demand.
//!
//! `RuntimeBuilder::devices` gives them to a runtime.

mod adversarial;
mod faulty;
mod reference;

pub use adversarial::{AdversarialDevice, Adversity};
pub use faulty::FaultyDevices;
pub use reference::ReferenceDevice;
