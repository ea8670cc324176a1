import Testing

/// Watching screens and the foreground state belong to the whole process, so one check runs at a time.
@Suite(.serialized) enum Serialized {}
