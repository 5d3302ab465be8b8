//! From a row of SQLite's to the cells of an agent's row.

use memfold_agents::tables::{Cell, Column};
use rusqlite::types::ValueRef;
use rusqlite::{Row, Rows};

use crate::DatabaseError;

/// The cells of the next row; each column takes two places: its value, and its size.
pub(crate) fn next(
    rows: &mut Rows<'_>,
    columns: &[Column],
) -> Result<Option<Vec<Cell>>, DatabaseError> {
    match rows.next()? {
        Some(row) => Ok(Some(
            (0..columns.len())
                .map(|number| cell(row, number))
                .collect::<Result<_, _>>()?,
        )),
        None => Ok(None),
    }
}

fn cell(row: &Row<'_>, column: usize) -> Result<Cell, DatabaseError> {
    let (value, size) = (
        column.saturating_mul(2),
        column.saturating_mul(2).saturating_add(1),
    );
    Ok(match row.get_ref(value)? {
        ValueRef::Integer(number) => Cell::Integer(number),
        ValueRef::Real(number) => whole(number).map_or(Cell::Nothing, Cell::Integer),
        // Bytes that are no UTF-8 are replaced, always by the same.
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => {
            Cell::Text(String::from_utf8_lossy(bytes).into_owned())
        }
        ValueRef::Null => match row.get_ref(size)? {
            ValueRef::Integer(size) => u64::try_from(size).map_or(Cell::Nothing, Cell::LeftOut),
            _ => Cell::Nothing,
        },
    })
}

/// A number that is whole and within what a float holds exactly.
#[allow(
    clippy::cast_possible_truncation,
    reason = "checked to be whole and small enough"
)]
fn whole(number: f64) -> Option<i64> {
    (number.fract() == 0.0 && number.abs() < 9e15).then_some(number as i64)
}
