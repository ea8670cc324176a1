/// Many objects from many threads: kept objects have to be reported, no others, and memory has to come back.
struct Soak {
    let plan: Plan
    let threads: Int
    let looksAtMemory: Bool

    /// Raised from the usual 10,000, at which a million objects would take two minutes.
    private static let outstanding = 100_000
    /// Limit of threads: with more, their last batches before the room runs out would be larger than the room.
    static let mostThreads = outstanding / SoakWorker.batchCount / 2

    /// Bytes that may stay for any number of objects: tables keep their size, and malloc keeps pages that are partly in use. A
    /// million weak references left behind were 48 MiB.
    private static let allowance = (heap: 512 * 1024, resident: 8 * 1024 * 1024)
    /// Bytes for each leak while it lives: the object, the reference to it, and its report here.
    private static let allowancePerLeak = 2 * 1024
    /// Bytes for each leak after its end: tables keep the size that they had with all leaks.
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
        let complaints = stage.countingErrors()
        stage.forgetReports()
        let after = Usage.settledMemory
        Progress.clear()
        print(
            """
            \(plan.objects) objects from \(threads) threads in \(Int(stage.seconds)) s, \(plan.leaks) of them kept; \
            at most \(Self.outstanding) at once
            held for \(stage.longestHold) ms at most\(stage.longestHold < graceMilliseconds
                ? "" : ", longer than the grace period: this machine is too busy for it")
            KiB of heap and of resident memory: \(text(before)) before, \(text(kept)) with what was kept, \(text(after)) after
            allowed: \(text(Self.allowance)) more; for each object that is kept \(Self.allowancePerLeak) bytes, and after that \
            \(Self.allowancePerLeakAfter)
            """)
        guard looksAtMemory else { return complaints }
        return complaints
            + growth(
                "with what was kept", from: before, to: kept, allowed: plan.leaks * Self.allowancePerLeak)
            + growth("after", from: before, to: after, allowed: plan.leaks * Self.allowancePerLeakAfter)
    }

    /// Runs once before the measurement, so that the runtime, Dispatch and malloc make what they make once and keep.
    private func warmUp() {
        let objects = min(plan.objects, 2 * Self.outstanding)
        let stage = SoakRun(
            Plan(objects: objects, leaks: min(plan.leaks, objects)), threads: threads,
            outstanding: Self.outstanding)
        stage.work()
        stage.releaseKeptObjects()
        _ = stage.countingErrors()
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
