//! Events of the crate `tracing` (feature `tracing`): devices opened, kernels loaded, speeds measured, tunings kept.
//! Without the feature they are not compiled.

/// Emits an event of the given level. The other arguments are the arguments of `tracing`'s macro for this
/// level.
macro_rules! event {
    ($level:ident, $($event:tt)*) => {
        #[cfg(feature = "tracing")]
        tracing::$level!(target: "warpfold", $($event)*)
    };
}
pub(crate) use event;
