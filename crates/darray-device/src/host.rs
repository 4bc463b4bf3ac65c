//! Host memory that devices read and fill: elements of any type, as bytes.

use darray_core::f16;
use std::sync::{Arc, Mutex};
use zerocopy::{FromBytes, Immutable, IntoBytes};

/// Elements on the host, as they lie in memory.
///
/// ```
/// use darray_device::HostBytes;
/// assert_eq!(vec![1u8, 2].bytes(), [1, 2]);
/// assert_eq!(vec![true, false].bytes(), [1, 0]);
/// ```
pub trait HostBytes: Send + Sync {
    /// Their bytes.
    fn bytes(&self) -> &[u8];
}

/// Elements on the host whose bytes may be any.
///
/// ```
/// use darray_device::{HostBytes, HostBytesMut};
/// let mut elements = vec![0.0f64; 2];
/// elements.bytes_mut()[8..].copy_from_slice(&2.5f64.to_ne_bytes());
/// assert_eq!(elements, [0.0, 2.5]);
/// ```
pub trait HostBytesMut: HostBytes {
    /// Their bytes.
    fn bytes_mut(&mut self) -> &mut [u8];
}

/// Host memory that a download fills; locked only by the device while it copies and by the reader
/// after the event.
pub type HostBuffer = Arc<Mutex<dyn HostBytesMut>>;

/// A type of elements on the host.
pub trait HostElement: Copy + Send + Sync + IntoBytes + Immutable + 'static {
    /// What is read in its place: a type whose bytes may be any.
    type Plain: Plain;

    /// The elements that were read.
    fn of_plain(elements: Vec<Self::Plain>) -> Vec<Self>;

    /// The bytes of elements.
    fn bytes_of(elements: &[Self]) -> &[u8] {
        elements.as_bytes()
    }
}

/// Types of elements whose bytes may be any.
pub trait Plain: HostElement<Plain = Self> + Default + FromBytes {}

macro_rules! plain {
    ($($t:ident)*) => { $(
        impl Plain for $t {}
        impl HostElement for $t {
            type Plain = $t;

            fn of_plain(elements: Vec<$t>) -> Vec<$t> {
                elements
            }
        }
    )* };
}

plain! { u8 i32 i64 f16 f32 f64 }

impl HostElement for bool {
    type Plain = u8;

    fn of_plain(elements: Vec<u8>) -> Vec<bool> {
        elements.into_iter().map(|byte| byte != 0).collect()
    }
}

impl<T: HostElement> HostBytes for Vec<T> {
    fn bytes(&self) -> &[u8] {
        T::bytes_of(self)
    }
}

impl<T: Plain> HostBytesMut for Vec<T> {
    fn bytes_mut(&mut self) -> &mut [u8] {
        self.as_mut_slice().as_mut_bytes()
    }
}
