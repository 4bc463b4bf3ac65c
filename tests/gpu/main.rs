//! Tests that run over the fake driver, or on the GPUs of the driver that the setting `DARRAY_CUDA_DRIVER` names: one
//! program, as each one more is larger to carry to such a machine.

mod products;
mod tasks;
