//! What commands print.

use std::{
    fmt,
    io::{self, ErrorKind, Write as _},
};

/// Prints a line, as `println!` does; ends the process where its reader, such as `head`, has gone.
macro_rules! say {
    ($($text:tt)*) => {
        $crate::output::print_line(format_args!($($text)*))
    };
}

pub(crate) fn print_line(line: fmt::Arguments<'_>) {
    match writeln!(io::stdout().lock(), "{line}") {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => std::process::exit(0),
        _ => {}
    }
}
