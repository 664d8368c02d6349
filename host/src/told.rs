//! What happens on the way to a result, told as events of the crate `tracing` to whoever listens (feature `tracing`). Without the
//! feature nothing of it is compiled.

/// Tells an event: its level, and then what `tracing`'s macro of that level takes.
macro_rules! told {
    ($level:ident, $($event:tt)*) => {
        #[cfg(feature = "tracing")]
        tracing::$level!(target: "warpfold", $($event)*)
    };
}
pub(crate) use told;
