import LeakPlatform

/// Runs `body` on several threads, which start at the same moment, and waits for all of them.
///
/// Uses separate threads because `body` blocks. Blocking tasks would occupy all threads of the task pool.
///
/// - Throws: the error of the failed thread with the lowest number.
func runTogether<Result: Sendable>(
    _ count: Int, _ body: @escaping @Sendable (Int) throws -> Result
) throws -> [Result] {
    let ready = Guarded(0)
    let results = Guarded<[Int: Swift.Result<Result, any Error>]>([:])
    let threads = (0..<count).map { number in
        WorkerThread(name: "together \(number)") {
            ready.with { $0 += 1 }
            ready.wakeAll()
            _ = ready.wait { $0 == count ? true : nil as Bool? }
            let result = Swift.Result { try body(number) }
            results.with { $0[number] = result }
        }
    }
    for thread in threads { thread.join() }
    let all = results.with { $0 }
    return try (0..<count).compactMap { try all[$0]?.get() }
}
