/// Counts what goes into a decompressor and what comes out of it, and says when that is more than is taken.
package struct Expansion: Sendable {
    package let limits: Inflater.Limits
    package private(set) var bytesIn = 0
    package private(set) var bytesOut = 0

    package init(limits: Inflater.Limits) { self.limits = limits }

    /// Counts one step.
    ///
    /// - Throws: ``InflateError/tooLarge``.
    package mutating func count(in taken: Int, out made: Int) throws(InflateError) {
        bytesIn += taken
        bytesOut += made
        if bytesOut > limits.outputBytes { throw .tooLarge }
        if bytesOut > limits.bytesBeforeRatio && bytesOut / max(limits.ratio, 1) > bytesIn {
            throw .tooLarge
        }
    }
}
