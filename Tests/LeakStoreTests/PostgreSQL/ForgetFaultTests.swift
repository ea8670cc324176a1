#if PostgreSQL
    import Foundation
    import LeakSeededRandom
    import LeakStore
    import Testing
    import LeakPlatform

    @testable import LeakPostgreSQL

    /// A deletion whose connection to the server ends at a random moment, and deletions beside other collectors.
    @Suite struct ForgetFaultTests {
        private static let leakCount = 120

        private static func reports(_ version: String, install: UInt64) -> Submission {
            submission(
                (0..<leakCount).map {
                    Report(
                        leak: leak("L\($0)"), version: version, install: install,
                        at: noon - Int64($0 % 50) * hour)
                })
        }

        @Test
        func
            `after deletions that lost their connection all totals are consistent, and other calls finish them`()
            throws
        {
            let schema = try DatabaseSchema()
            let store = try PostgreSQLStore(address: schema.address, clock: .unguarded)
            var random = SeededRandom(seed: 1)
            var failures = 0
            for round in KillRounds.all {
                for version in ["1.0", "2.0"] {
                    _ = try store.count([Self.reports(version, install: round)], now: noon)
                }
                var target: ForgetTarget = round % 2 == 0 ? .version("1.0", of: "shop") : .app("shop")
                if round % 5 == 0 {
                    target = .key(2, since: nil)
                    let made = (0..<300).map {
                        Report(
                            leak: leak("Fake \($0)"), version: $0 % 2 == 0 ? "1.0" : "66.\($0 % 60)",
                            install: 5)
                    }
                    _ = try store.count([submission(made, keyID: 2)], now: noon)
                }
                let microseconds = UInt32.random(in: 0...80_000, using: &random)
                let thread = WorkerThread(name: "killer") {
                    guard let killer = try? PostgreSQLConnection(to: schema.server) else { return }
                    usleep(microseconds)
                    _ = try? schema.terminate(where: "true", by: killer)
                }
                do { _ = try store.forget(target) } catch { failures += 1 }
                thread.join()
                let other = try PostgreSQLStore(address: schema.address, clock: .unguarded)
                #expect(try other.verify() == [], "round \(round)")
                _ = try other.forget(target)
                #expect(try other.verify() == [], "round \(round)")
                #expect(try other.makeReader().forgetCounts(of: target) == nil)
            }
            #expect(failures > 0)
        }

        @Test func `collectors count reports of an app while another collector deletes it again and again`()
            throws
        {
            let schema = try DatabaseSchema()
            let isOver = Guarded(false)
            let senders = try (0..<2).map { number in
                let store = try PostgreSQLStore(address: schema.address, clock: .unguarded)
                return WorkerThread(name: "sender") {
                    while isOver.with({ !$0 }) {
                        for version in ["1.0", "2.0"] {
                            do {
                                let receipts = try store.count(
                                    [Self.reports(version, install: UInt64(number))], now: noon)
                                #expect(receipts == [.counted])
                            } catch {
                                // The app was deleted during both attempts. Nothing was counted, and a sender tries again.
                                #expect((error as? StoreError)?.reason == .locked)
                            }
                        }
                    }
                }
            }
            let store = try PostgreSQLStore(address: schema.address, clock: .unguarded)
            for round in 0..<20 {
                let targets: [ForgetTarget] = [
                    .app("shop"), .version("1.0", of: "shop"), .leak(leak("L1").id), .environment("shop"),
                ]
                _ = try store.forget(targets[round % 4])
                _ = try store.erase(install: UInt64(round % 2))
                if round % 5 == 0 { #expect(try store.verify() == []) }
            }
            isOver.with { $0 = true }
            for sender in senders { sender.join() }
            #expect(try store.verify() == [])
        }
    }
#endif
