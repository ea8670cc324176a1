#if os(Linux)
    import Foundation
    import Glibc
    import LeakPlatform
    import LeakTransport
    import Testing

    @testable import LeakReporter

    /// Children that a process makes with `fork`. Each test starts a separate process that forks, because a child of this
    /// process would keep the sockets of other tests open.
    @Suite struct ForkTests {
        /// Child processes that wait until the test ends.
        private final class Children {
            private var endPipe: [Int32] = [0, 0]
            private var readyPipe: [Int32] = [0, 0]
            private(set) var processes: [pid_t] = []

            init() {
                unsafe pipe(&endPipe)
                unsafe pipe(&readyPipe)
            }

            func fork() {
                let child = Glibc.fork()
                if child == 0 {
                    close(endPipe[1])
                    var byte: UInt8 = 1
                    _ = unsafe Glibc.write(readyPipe[1], &byte, 1)
                    _ = unsafe Glibc.read(endPipe[0], &byte, 1)
                    _exit(0)
                }
                if child > 0 { processes.append(child) }
            }

            func waitUntilReady() {
                var byte: UInt8 = 0
                for _ in processes { _ = unsafe Glibc.read(readyPipe[0], &byte, 1) }
            }

            func end() {
                for number in endPipe + readyPipe { close(number) }
                var status: Int32 = 0
                for child in processes { unsafe waitpid(child, &status, 0) }
            }
        }

        private static func isFree(_ path: String) -> Bool {
            guard let descriptor = try? FileDescriptor(path, .locking) else { return false }
            return (try? descriptor.lock(path: path)) != nil
        }

        @Test func `a child process that is forked at any moment does not hold the lock of an ended run`()
            async
        {
            await #expect(processExitsWith: .success) {
                let place = TemporaryFolder()
                let path = place.path
                let state = Guarded((runs: 0, isStopping: false, isDone: false))
                Thread.detachNewThread {
                    while !state.with({ $0.isStopping }) {
                        let number = state.with { $0.runs }
                        let folder = RunFolder(in: path, name: "\(number)")
                        _ = folder.append([1], to: "\(number).segment")
                        state.with { $0.runs += 1 }
                    }
                    state.with { $0.isDone = true }
                }
                guard eventually({ state.with { $0.runs > 0 } }) else { exit(3) }
                let children = Children()
                for _ in 0..<300 { children.fork() }
                state.with { $0.isStopping = true }
                guard eventually({ state.with { $0.isDone } }) else { exit(2) }
                children.waitUntilReady()
                let held = (0..<state.with { $0.runs }).count { !Self.isFree("\(path)/run-\($0)/lock") }
                children.end()
                exit(held == 0 && children.processes.count == 300 ? 0 : 1)
            }
        }

        @Test
        func `a child process that is forked while other queues are examined does not hold their locks`()
            async
        {
            await #expect(processExitsWith: .success) {
                let place = TemporaryFolder()
                let path = place.path
                for number in 0..<50 {
                    let folder = RunFolder(ofQueue: "other", in: path, name: "\(number)")
                    _ = folder.append([1], to: "00000000-0000-7000-8000-000000000000.segment")
                }
                let state = Guarded((looks: 0, isStopping: false, isDone: false))
                Thread.detachNewThread {
                    let own = RunFolder(ofQueue: "own", in: path)
                    while !state.with({ $0.isStopping }) {
                        _ = own.removeForeignFiles { _ in [] }
                        state.with { $0.looks += 1 }
                    }
                    state.with { $0.isDone = true }
                }
                guard eventually({ state.with { $0.looks > 0 } }) else { exit(3) }
                let children = Children()
                for _ in 0..<200 { children.fork() }
                state.with { $0.isStopping = true }
                guard eventually({ state.with { $0.isDone } }) else { exit(2) }
                children.waitUntilReady()
                let held = (0..<50).count { !Self.isFree("\(path)/to-other/run-\($0)/lock") }
                children.end()
                exit(held == 0 && children.processes.count == 200 ? 0 : 1)
            }
        }

        @Test(arguments: [false, true])
        func `a reporter that was created in a child process sends when that process exits`(
            parentHasOne: Bool
        ) async {
            await #expect(processExitsWith: .success) { [parentHasOne] in
                let place = SharedQueueFolder()
                let marker = place.folder + "-sent"
                let online = FakeTransport { _, _ in
                    _ = FileManager.default.createFile(atPath: marker, contents: nil)
                    return FakeTransport.accepted()
                }
                var parent: LeakReporter?
                if parentHasOne {
                    parent = place.reporter(FakeTransport { _, _ in FakeTransport.accepted() })
                    parent?.record(message: "parent")
                    guard parent?.flush(timeout: generousSeconds) == true else { exit(2) }
                }
                let child = fork()
                if child == 0 {
                    let own = place.reporter(online) { $0.bounds.exitMilliseconds = 60_000 }
                    own.record(message: "child")
                    exit(0)
                }
                var status: Int32 = 0
                if !eventually({ unsafe waitpid(child, &status, WNOHANG) == child }) { kill(child, SIGKILL) }
                let isSent = FileManager.default.fileExists(atPath: marker)
                try? FileManager.default.removeItem(atPath: marker)
                withExtendedLifetime(parent) {}
                exit(isSent ? 0 : 1)
            }
        }

        @Test func `a child process that is forked while a reporter starts can exit`() async {
            await #expect(processExitsWith: .success) {
                let place = SharedQueueFolder()
                let reporter = place.reporter(FakeTransport { _, _ in FakeTransport.accepted() })
                let state = Guarded((count: 0, isStopping: false))
                Thread.detachNewThread {
                    while !state.with({ $0.isStopping }) {
                        ExitFlush.register(reporter)
                        state.with { $0.count += 1 }
                    }
                }
                guard eventually({ state.with { $0.count > 100 } }) else { _exit(2) }
                var hasFailed = false
                for _ in 0..<100 where !hasFailed {
                    let child = fork()
                    if child == 0 { exit(0) }
                    var status: Int32 = 0
                    let hasEnded = eventually { unsafe waitpid(child, &status, WNOHANG) == child }
                    if !hasEnded { kill(child, SIGKILL) }
                    hasFailed = !hasEnded || status != 0
                }
                state.with { $0.isStopping = true }
                _exit(hasFailed ? 1 : 0)
            }
        }

        /// When the child releases a lock of its parent, the number of the lock's descriptor may belong to another file.
        @Test func `a child process closes no descriptor that reuses the number of its parent's lock`() async
        {
            await #expect(processExitsWith: .success) {
                let place = TemporaryFolder()
                var locks: [Lock] = []
                for number in 0..<300 {
                    guard let lock = try? Lock("\(place.path)-\(number)") else { _exit(2) }
                    locks.append(lock)
                }
                let child = fork()
                if child == 0 {
                    // Uses the lowest free descriptor numbers, which the child has closed.
                    let others = (0..<300).map { _ in unsafe open("/dev/null", O_RDONLY) }
                    locks = []
                    _exit(others.allSatisfy { fcntl($0, F_GETFD) >= 0 } ? 0 : 1)
                }
                var status: Int32 = 0
                let hasEnded = eventually { unsafe waitpid(child, &status, WNOHANG) == child }
                if !hasEnded { kill(child, SIGKILL) }
                for number in 0..<300 {
                    try? FileManager.default.removeItem(atPath: "\(place.path)-\(number)")
                }
                exit(hasEnded && status == 0 ? 0 : 1)
            }
        }

        private final class Lock {
            let descriptor: FileDescriptor
            init(_ path: String) throws { descriptor = try FileDescriptor(path, .lockingOrCreating) }
        }

        /// An app may have one reporter for all its code, even for code that runs in a child.
        @Test func `a call in a child process on its parent's reporter neither hangs nor records anything`()
            async
        {
            await #expect(processExitsWith: .success) {
                let place = SharedQueueFolder()
                let reporter = place.reporter(FakeTransport { _, _ in .noResponse(reason: "offline") }) {
                    $0.sendsAutomatically = false
                }
                let state = Guarded((count: 0, isStopping: false))
                for thread in 0..<2 {
                    Thread.detachNewThread {
                        while !state.with({ $0.isStopping }) {
                            reporter.record(message: "leak \(thread)")
                            state.with { $0.count += 1 }
                        }
                    }
                }
                guard eventually({ state.with { $0.count > 100 } }) else { exit(2) }
                var hasFailed = false
                for _ in 0..<100 where !hasFailed {
                    let child = fork()
                    if child == 0 {
                        reporter.record(message: "of the child")
                        reporter.setUserID("child")
                        reporter.log("child")
                        let isChosen = reporter.setCollectionEnabled(false)
                        let isFlushed = reporter.flush(timeout: 0.01)
                        let statistics = reporter.statistics
                        _exit(
                            !isChosen && !isFlushed && statistics.lastFailure?.contains("fork") == true
                                ? 0 : 1)
                    }
                    var status: Int32 = 0
                    let hasEnded = eventually { unsafe waitpid(child, &status, WNOHANG) == child }
                    if !hasEnded { kill(child, SIGKILL) }
                    hasFailed = !hasEnded || status != 0
                }
                state.with { $0.isStopping = true }
                exit(hasFailed ? 1 : 0)
            }
        }
    }
#endif
