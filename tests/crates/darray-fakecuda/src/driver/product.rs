//! Products of matrices, as a library would queue them.

use super::Driver;
use crate::ptx::memory::{Memory, Violation};

/// Which floats are multiplied.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Element {
    /// 4 bytes.
    Single,
    /// 8 bytes.
    Double,
}

/// `out = a b`, for each of some matrices.
#[derive(Clone, Debug)]
pub struct Product {
    /// The type of elements.
    pub element: Element,
    /// Rows and columns of `out`, and what is summed over.
    pub extents: [u64; 3],
    /// How many products.
    pub count: u64,
    /// Address, and elements from one row to the next and from one column to the next.
    pub out: [u64; 3],
    /// As `out`.
    pub a: [u64; 3],
    /// As `out`.
    pub b: [u64; 3],
    /// Elements from one matrix to the next: of `out`, `a`, `b`.
    pub next: [i64; 3],
}

impl Driver {
    /// Multiplies, every sum from its last term to its first: not darray's order.
    pub fn multiply(&mut self, device: usize, product: &Product) -> Result<(), Violation> {
        let [rows, columns, depth] = product.extents;
        let [out_next, a_next, b_next] = product.next;
        for matrix in 0..product.count as i64 {
            let place = |[address, row, column]: [u64; 3], next: i64, i: u64, j: u64| {
                let element = (matrix * next) as u64;
                let element = element.wrapping_add(i * row + j * column);
                address.wrapping_add(element.wrapping_mul(product.element.size()))
            };
            for i in 0..rows {
                for j in 0..columns {
                    let mut sum = 0.0;
                    for k in (0..depth).rev() {
                        let a =
                            self.float(device, product.element, place(product.a, a_next, i, k))?;
                        let b =
                            self.float(device, product.element, place(product.b, b_next, k, j))?;
                        sum = product.element.round(sum + product.element.round(a * b));
                    }
                    let to = place(product.out, out_next, i, j);
                    self.put_float(device, product.element, to, sum)?;
                }
            }
        }
        Ok(())
    }

    fn float(&self, device: usize, element: Element, address: u64) -> Result<f64, Violation> {
        let region = self.memory(device).find(address, element.size())?;
        self.note(address, element.size(), false);
        let from = region.host.wrapping_add((address - region.start) as usize);
        // SAFETY: `find` has checked that there are so many bytes.
        Ok(unsafe {
            match element {
                Element::Single => f64::from(from.cast::<f32>().read_unaligned()),
                Element::Double => from.cast::<f64>().read_unaligned(),
            }
        })
    }

    fn put_float(
        &self,
        device: usize,
        element: Element,
        address: u64,
        value: f64,
    ) -> Result<(), Violation> {
        let region = self.memory(device).find(address, element.size())?;
        self.note(address, element.size(), true);
        let to = region.host.wrapping_add((address - region.start) as usize);
        // SAFETY: `find` has checked that there are so many bytes.
        unsafe {
            match element {
                Element::Single => to.cast::<f32>().write_unaligned(value as f32),
                Element::Double => to.cast::<f64>().write_unaligned(value),
            }
        }
        Ok(())
    }
}

impl Element {
    fn size(self) -> u64 {
        match self {
            Element::Single => 4,
            Element::Double => 8,
        }
    }

    fn round(self, value: f64) -> f64 {
        match self {
            Element::Single => f64::from(value as f32),
            Element::Double => value,
        }
    }
}
