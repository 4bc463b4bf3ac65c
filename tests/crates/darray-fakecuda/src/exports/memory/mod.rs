//! Memory of devices and of the host: making it, copying it, filling it.

mod copy;
mod device_memory;
mod fill;
mod host;
mod pool;
