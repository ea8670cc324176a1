import Testing

/// Watching screens and being in the foreground are of the process, so one check runs at a time.
@Suite(.serialized) enum Serialized {}
