//! Host memory that devices read and fill: elements of any type, as bytes.

use darray_core::{bf16, f16};
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
/// let mut elements = Vec::<f64>::with_capacity(2);
/// assert!(elements.byte_capacity() >= 16 && elements.put(0, &2.5f64.to_ne_bytes()));
/// assert_eq!(elements, [2.5]);
/// ```
pub trait HostBytesMut: HostBytes {
    /// Their bytes.
    fn bytes_mut(&mut self) -> &mut [u8];

    /// Bytes that there is memory for, of elements that are there or may be added.
    fn byte_capacity(&self) -> usize;

    /// Adds zeros until there are at least so many bytes; whether there is memory for them, and else nothing happens.
    fn lengthen(&mut self, bytes: usize) -> bool;

    /// Writes bytes at this offset; elements behind the last one are added, and not cleared before. Whether there is memory
    /// for them, and else nothing happens.
    fn put(&mut self, at: usize, bytes: &[u8]) -> bool;
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

macro_rules! host_element {
    (Bool $bool:ident $name:ident) => {
        impl HostElement for $bool {
            type Plain = u8;

            fn of_plain(elements: Vec<u8>) -> Vec<$bool> {
                elements.into_iter().map(|byte| byte != 0).collect()
            }
        }
    };
    ($kind:ident $number:ident $name:ident) => {
        impl Plain for $number {}
        impl HostElement for $number {
            type Plain = $number;

            fn of_plain(elements: Vec<$number>) -> Vec<$number> {
                elements
            }
        }
    };
}

darray_core::each_element! { host_element }

impl<T: HostElement> HostBytes for Vec<T> {
    fn bytes(&self) -> &[u8] {
        T::bytes_of(self)
    }
}

impl<T: Plain> HostBytesMut for Vec<T> {
    fn bytes_mut(&mut self) -> &mut [u8] {
        self.as_mut_slice().as_mut_bytes()
    }

    fn byte_capacity(&self) -> usize {
        self.capacity() * size_of::<T>()
    }

    fn lengthen(&mut self, bytes: usize) -> bool {
        let has_room = bytes <= self.byte_capacity();
        if has_room && bytes > self.bytes().len() {
            self.resize(bytes.div_ceil(size_of::<T>()), T::default());
        }
        has_room
    }

    fn put(&mut self, at: usize, bytes: &[u8]) -> bool {
        let Some(end) = at.checked_add(bytes.len()).filter(|&end| end <= self.byte_capacity())
        else {
            return false;
        };
        match <[T]>::ref_from_bytes(bytes) {
            Ok(elements) if at == self.bytes().len() => self.extend_from_slice(elements),
            _ => {
                self.lengthen(end);
                self.bytes_mut()[at..end].copy_from_slice(bytes);
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::{HostBytes, HostBytesMut};

    #[test]
    fn elements_are_added_or_written_over() {
        let mut elements: Vec<i32> = Vec::with_capacity(4);
        let room = elements.byte_capacity();
        assert!(room >= 16 && elements.put(0, [1, 2].to_vec().bytes()));
        assert_eq!((&elements[..], elements.byte_capacity()), (&[1, 2][..], room), "added");
        assert!(elements.put(4, [3, 4].to_vec().bytes()), "one is there, one is not");
        assert_eq!(elements, [1, 3, 4]);
        assert!(elements.put(12, &1i16.to_ne_bytes()), "a part of an element");
        assert_eq!(elements[..3], [1, 3, 4]);
        assert_eq!(elements.bytes()[12..14], 1i16.to_ne_bytes());
        assert_eq!(elements.bytes().len(), 16);
        let mut far: Vec<u8> = Vec::with_capacity(8);
        assert!(far.put(3, &[7, 8]) && far == [0, 0, 0, 7, 8], "zeros before");
    }

    #[test]
    fn memory_never_grows() {
        let mut elements: Vec<u8> = Vec::with_capacity(8);
        let (room, place) = (elements.byte_capacity(), elements.as_ptr());
        assert!(!elements.put(1, &vec![1; room]) && !elements.put(usize::MAX, &[1]));
        assert!(!elements.lengthen(room + 1) && elements.is_empty());
        assert!(elements.lengthen(3) && elements.lengthen(2) && elements == [0; 3]);
        assert!(elements.put(0, &vec![1; room]));
        assert_eq!((elements.byte_capacity(), elements.as_ptr()), (room, place));
    }
}
