internal import LeakMessage

#if canImport(Glibc)
    import CLeakLinux
    import Glibc
    public import RetainPaths

    /// The memory that a finder expects to be freed with a graph, and the memory that the allocator got back.
    ///
    /// The measurement is correct only in a process without other threads that allocate.
    public struct CostMeasurement: Sendable {
        public let estimatedBytes: Int
        public let freedBytes: Int
        /// True if the budget ended the walk.
        public let isAtLeast: Bool

        public var isClose: Bool { abs(estimatedBytes - freedBytes) * 10 <= freedBytes }

        public init(seed: UInt64, _ finder: RetainPathFinder, _ budget: Budget) {
            let graph = unsafe Unmanaged.passRetained(CostGraph(seed: seed))
            var finder = finder
            finder.budget = budget
            let explanation = unsafe finder.explain(UnsafeRawPointer(graph.toOpaque()), callerReferences: 1)
            Self.fillCaches()
            let before = Self.bytesInUse()
            unsafe graph.takeUnretainedValue().breakCycle()
            unsafe graph.release()
            freedBytes = before - Self.bytesInUse()
            // The explanation is freed after the second measurement of memory, not between the two.
            withExtendedLifetime(explanation) {}
            estimatedBytes = explanation.cost?.bytes ?? 0
            isAtLeast = explanation.cost?.isAtLeast == true
        }

        private static func bytesInUse() -> Int {
            let info = mallinfo2()
            return Int(info.uordblks + info.hblkhd)
        }

        /// Fills the caches of the thread. glibc counts chunks that a thread frees into its caches as in use: 7 chunks
        /// of each size up to 1,032 bytes.
        private static func fillCaches() {
            for count in stride(from: 24, through: 1_032, by: 16) {
                let chunks = unsafe (0..<7).map { _ in unsafe malloc(count) }
                unsafe chunks.forEach { unsafe free($0) }
            }
        }
    }
#endif
