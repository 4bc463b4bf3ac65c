//! Tables of numbers in text files: NumPy's `loadtxt` and `savetxt`.

mod read;
mod write;

use super::{Origin, replace::replace};
use crate::{DArray, DynArray, Element};
use darray_core::{DType, Place, Result};
use std::path::Path;

/// How numbers stand in a text file: [`np::loadtxt`](crate::np::loadtxt) and [`np::savetxt`](crate::np::savetxt) with NumPy's options.
///
/// A line is a row. Fields are apart by blanks, or by a delimiter; what follows the mark of a comment is left out, and so are empty lines.
///
/// ```
/// use darray::{DArray, TextFormat};
/// # let path = std::env::temp_dir().join(format!("darray-text-{}.csv", std::process::id()));
/// std::fs::write(&path, "x,y\n1,2.5\n3,4 # here\n").unwrap();
/// let csv = TextFormat::new().delimiter(',').skiprows(1);
/// let table = csv.load::<f64>(&path).unwrap();
/// assert_eq!((table.shape(), table.to_vec()), (&[2, 2][..], vec![1.0, 2.5, 3.0, 4.0]));
/// # std::fs::remove_file(path).unwrap();
/// ```
#[derive(Clone, Debug)]
pub struct TextFormat {
    delimiter: Option<char>,
    comments: String,
    skiprows: usize,
    max_rows: usize,
    usecols: Option<Vec<isize>>,
    header: String,
    footer: String,
    decimals: usize,
    fixed: bool,
}

impl Default for TextFormat {
    fn default() -> TextFormat {
        TextFormat {
            delimiter: None,
            comments: "#".to_string(),
            skiprows: 0,
            max_rows: usize::MAX,
            usecols: None,
            header: String::new(),
            footer: String::new(),
            decimals: 18,
            fixed: false,
        }
    }
}

impl TextFormat {
    /// NumPy's defaults: blanks between fields, comments after `#`, and 18 decimals of powers of ten.
    ///
    /// ```
    /// use darray::{DArray, TextFormat};
    /// # let path = std::env::temp_dir().join(format!("darray-text-new-{}.txt", std::process::id()));
    /// TextFormat::new().save(&path, &DArray::from_vec(vec![0.5])).unwrap();
    /// assert_eq!(std::fs::read_to_string(&path).unwrap(), "5.000000000000000000e-01\n");
    /// # std::fs::remove_file(path).unwrap();
    /// ```
    pub fn new() -> TextFormat {
        TextFormat::default()
    }

    /// What stands between fields.
    ///
    /// ```
    /// use darray::{DArray, TextFormat};
    /// # let path = std::env::temp_dir().join(format!("darray-text-delimiter-{}.txt", std::process::id()));
    /// let csv = TextFormat::new().delimiter(',').fixed(1);
    /// csv.save(&path, &DArray::from([[0.5, 2.0]])).unwrap();
    /// assert_eq!(std::fs::read_to_string(&path).unwrap(), "0.5,2.0\n");
    /// # std::fs::remove_file(path).unwrap();
    /// ```
    pub fn delimiter(self, delimiter: char) -> TextFormat {
        TextFormat { delimiter: Some(delimiter), ..self }
    }

    /// What begins a comment; nothing does if it is empty.
    ///
    /// ```
    /// use darray::TextFormat;
    /// # let path = std::env::temp_dir().join(format!("darray-text-comments-{}.txt", std::process::id()));
    /// std::fs::write(&path, "1 2 % two numbers").unwrap();
    /// assert_eq!(TextFormat::new().comments("%").load::<f64>(&path).unwrap().to_vec(), [1.0, 2.0]);
    /// # std::fs::remove_file(path).unwrap();
    /// ```
    pub fn comments(self, mark: impl Into<String>) -> TextFormat {
        TextFormat { comments: mark.into(), ..self }
    }

    /// Leaves out lines at the beginning, comments and empty ones included.
    ///
    /// ```
    /// use darray::TextFormat;
    /// # let path = std::env::temp_dir().join(format!("darray-text-skiprows-{}.txt", std::process::id()));
    /// std::fs::write(&path, "t\n7\n").unwrap();
    /// assert_eq!(TextFormat::new().skiprows(1).load::<i64>(&path).unwrap().item(), 7);
    /// # std::fs::remove_file(path).unwrap();
    /// ```
    pub fn skiprows(self, lines: usize) -> TextFormat {
        TextFormat { skiprows: lines, ..self }
    }

    /// Reads at most so many rows.
    ///
    /// ```
    /// use darray::TextFormat;
    /// # let path = std::env::temp_dir().join(format!("darray-text-max-rows-{}.txt", std::process::id()));
    /// std::fs::write(&path, "1\n2\n3\n").unwrap();
    /// assert_eq!(TextFormat::new().max_rows(2).load::<i64>(&path).unwrap().to_vec(), [1, 2]);
    /// # std::fs::remove_file(path).unwrap();
    /// ```
    pub fn max_rows(self, rows: usize) -> TextFormat {
        TextFormat { max_rows: rows, ..self }
    }

    /// Reads these columns alone, in this order; negative ones count from the end.
    ///
    /// ```
    /// use darray::TextFormat;
    /// # let path = std::env::temp_dir().join(format!("darray-text-usecols-{}.txt", std::process::id()));
    /// std::fs::write(&path, "1 2 3\n4 5 6\n").unwrap();
    /// let columns = TextFormat::new().usecols([2, 0]).load::<i64>(&path).unwrap();
    /// assert_eq!(columns.to_vec(), [3, 1, 6, 4]);
    /// # std::fs::remove_file(path).unwrap();
    /// ```
    pub fn usecols(self, columns: impl IntoIterator<Item = isize>) -> TextFormat {
        TextFormat { usecols: Some(columns.into_iter().collect()), ..self }
    }

    /// Writes these lines before the numbers, as comments.
    ///
    /// ```
    /// use darray::{DArray, TextFormat};
    /// # let path = std::env::temp_dir().join(format!("darray-text-header-{}.txt", std::process::id()));
    /// TextFormat::new().header("x y").save(&path, &DArray::from([[1, 2]])).unwrap();
    /// assert_eq!(std::fs::read_to_string(&path).unwrap(), "# x y\n1 2\n");
    /// # std::fs::remove_file(path).unwrap();
    /// ```
    pub fn header(self, lines: impl Into<String>) -> TextFormat {
        TextFormat { header: lines.into(), ..self }
    }

    /// Writes these lines after the numbers, as comments.
    ///
    /// ```
    /// use darray::{DArray, TextFormat};
    /// # let path = std::env::temp_dir().join(format!("darray-text-footer-{}.txt", std::process::id()));
    /// TextFormat::new().footer("end").save(&path, &DArray::from([[1, 2]])).unwrap();
    /// assert_eq!(std::fs::read_to_string(&path).unwrap(), "1 2\n# end\n");
    /// # std::fs::remove_file(path).unwrap();
    /// ```
    pub fn footer(self, lines: impl Into<String>) -> TextFormat {
        TextFormat { footer: lines.into(), ..self }
    }

    /// Writes floats with so many decimals: `%.2f`.
    ///
    /// ```
    /// use darray::{DArray, TextFormat};
    /// # let path = std::env::temp_dir().join(format!("darray-text-fixed-{}.txt", std::process::id()));
    /// TextFormat::new().fixed(2).save(&path, &DArray::from_vec(vec![1.5, -0.25])).unwrap();
    /// assert_eq!(std::fs::read_to_string(&path).unwrap(), "1.50\n-0.25\n");
    /// # std::fs::remove_file(path).unwrap();
    /// ```
    pub fn fixed(self, decimals: usize) -> TextFormat {
        TextFormat { decimals, fixed: true, ..self }
    }

    /// Writes floats as numbers of so many decimals times powers of ten: `%.2e`.
    ///
    /// ```
    /// use darray::{DArray, TextFormat};
    /// # let path = std::env::temp_dir().join(format!("darray-text-scientific-{}.txt", std::process::id()));
    /// TextFormat::new().scientific(2).save(&path, &DArray::from_vec(vec![1500.0])).unwrap();
    /// assert_eq!(std::fs::read_to_string(&path).unwrap(), "1.50e+03\n");
    /// # std::fs::remove_file(path).unwrap();
    /// ```
    pub fn scientific(self, decimals: usize) -> TextFormat {
        TextFormat { decimals, fixed: false, ..self }
    }

    /// NumPy's `loadtxt`: the numbers of a file, rows and columns; one row, or one column, gives one axis, and one number none. The file is
    /// read at once, by this thread.
    ///
    /// Errors, with the path, and for what is wrong inside, the line and the column in it: the file cannot be read; a field is no number of
    /// this type; a row has another number of fields; no memory on the device.
    ///
    /// ```
    /// use darray::TextFormat;
    /// # let path = std::env::temp_dir().join(format!("darray-text-load-{}.txt", std::process::id()));
    /// std::fs::write(&path, "1 2\n3 four\n").unwrap();
    /// let error = TextFormat::new().load::<f64>(&path).unwrap_err().to_string();
    /// assert!(error.contains("line 2, column 3: `four` is no number of type f64"));
    /// # std::fs::remove_file(path).unwrap();
    /// ```
    #[track_caller]
    pub fn load<T: Element>(&self, path: impl AsRef<Path>) -> Result<DArray<T>> {
        Ok(DArray::wrap(self.load_as(path, T::DTYPE)?))
    }

    /// As [`load`](Self::load), of an element type that is known at run time.
    ///
    /// ```
    /// use darray::{DType, TextFormat};
    /// # let path = std::env::temp_dir().join(format!("darray-text-load-as-{}.txt", std::process::id()));
    /// std::fs::write(&path, "1 2\n").unwrap();
    /// assert_eq!(TextFormat::new().load_as(&path, DType::U8).unwrap().dtype(), DType::U8);
    /// # std::fs::remove_file(path).unwrap();
    /// ```
    #[track_caller]
    pub fn load_as(&self, path: impl AsRef<Path>, dtype: DType) -> Result<DynArray> {
        let origin = Origin { name: "loadtxt", path: path.as_ref(), place: Place::caller() };
        let bytes = std::fs::read(origin.path).map_err(|error| origin.failed(error))?;
        let text = String::from_utf8(bytes).map_err(|_| origin.failed("no text: not in UTF-8"))?;
        read::table(self, &text, dtype, origin)
    }

    /// NumPy's `savetxt`: writes an array of at most two axes, a row a line; one axis is a column. Floats have as many decimals as the
    /// format says, integers and bools none; complex numbers stand in parentheses. Flushes, and waits for this array alone. A file that was
    /// there is replaced by the whole new one.
    ///
    /// Errors: there are more than two axes; the file cannot be written; a failure while the array was computed.
    ///
    /// ```
    /// use darray::{DArray, TextFormat};
    /// # let path = std::env::temp_dir().join(format!("darray-text-save-{}.txt", std::process::id()));
    /// TextFormat::new().save(&path, &DArray::from([[1, 2], [3, 4]])).unwrap();
    /// assert_eq!(std::fs::read_to_string(&path).unwrap(), "1 2\n3 4\n");
    /// # std::fs::remove_file(path).unwrap();
    /// ```
    #[track_caller]
    pub fn save(&self, path: impl AsRef<Path>, x: &impl AsRef<DynArray>) -> Result<()> {
        let origin = Origin { name: "savetxt", path: path.as_ref(), place: Place::caller() };
        let lines = write::table(self, x.as_ref(), origin)?;
        let write = |file: &mut super::replace::Sink<_>| {
            std::io::Write::write_all(file, lines.as_bytes()).map_err(|error| origin.failed(error))
        };
        replace(origin, |file| file, write)
    }
}
