/// Registers many objects from many threads. Checks that exactly the kept objects are reported, and that memory returns to its
/// earlier size.
struct Soak {
    let plan: Plan
    let threads: Int
    let checksMemory: Bool

    /// Maximum number of objects that wait at the same time. Raised from the default of 10,000, with which a million objects
    /// would take two minutes.
    private static let outstanding = 100_000
    /// Maximum number of threads. The batches that all threads register at the same time may use half of ``outstanding``.
    static let maxThreads = outstanding / SoakWorker.batchCount / 2

    /// Bytes by which memory may grow, independent of the number of objects: tables keep their size, and malloc keeps pages
    /// that are partly in use. For comparison: a million weak references that are not removed take 48 MiB.
    private static let allowance = (heap: 512 * 1024, resident: 8 * 1024 * 1024)
    /// Additional bytes per leaked object while it lives: the object, the weak reference to it, and its report in this program.
    private static let allowancePerLeak = 2 * 1024
    /// Additional bytes per leaked object after it was freed: tables keep the size that they had with all leaks.
    private static let allowancePerLeakAfter = 64

    /// - Returns: the errors.
    func run() -> [String] {
        Usage.fixThresholds()
        warmUp()
        let before = Usage.settledMemory
        let stage = SoakRun(plan, threads: threads, outstanding: Self.outstanding)
        stage.work()
        let kept = Usage.settledMemory
        stage.releaseKeptObjects()
        let complaints = stage.errors()
        stage.forgetReports()
        let after = Usage.settledMemory
        Progress.clear()
        print(
            """
            \(plan.objects) objects from \(threads) threads in \(Int(stage.seconds)) s, \(plan.leaks) of them kept; \
            at most \(Self.outstanding) at once
            objects that are not kept were held for \(stage.longestHold) ms at most\(stage.longestHold < graceMilliseconds
                ? "" : ", longer than the grace period: this machine is too busy for it")
            KiB of heap and of resident memory: \(text(before)) before, \(text(kept)) with the kept objects, \
            \(text(after)) after their end
            allowed growth: \(text(Self.allowance)), and for each kept object \(Self.allowancePerLeak) bytes, after its end \
            \(Self.allowancePerLeakAfter)
            """)
        guard checksMemory else { return complaints }
        return complaints
            + growth(
                "with the kept objects", from: before, to: kept, allowed: plan.leaks * Self.allowancePerLeak)
            + growth(
                "after the end of the kept objects", from: before, to: after,
                allowed: plan.leaks * Self.allowancePerLeakAfter)
    }

    /// Runs once before the measurement, so that the runtime, Dispatch and malloc already have the memory that they allocate
    /// once and keep.
    private func warmUp() {
        let objects = min(plan.objects, 2 * Self.outstanding)
        let stage = SoakRun(
            Plan(objects: objects, leaks: min(plan.leaks, objects)), threads: threads,
            outstanding: Self.outstanding)
        stage.work()
        stage.releaseKeptObjects()
        _ = stage.errors()
    }

    private func growth(
        _ moment: String, from before: (heap: Int, resident: Int), to now: (heap: Int, resident: Int),
        allowed: Int
    ) -> [String] {
        let kinds = [
            ("heap", now.heap - before.heap, Self.allowance.heap + allowed),
            ("resident memory", now.resident - before.resident, Self.allowance.resident + allowed),
        ]
        return kinds.filter { $0.1 > $0.2 }.map { kind, more, allowed in
            "\(kind) \(moment): \(more / 1024) KiB more than before, \(allowed / 1024) are allowed"
        }
    }

    private func text(_ memory: (heap: Int, resident: Int)) -> String {
        "\(memory.heap / 1024) and \(memory.resident / 1024)"
    }
}
