import Foundation

/// An asynchronous sequence that never gives an element.
struct Silence: AsyncSequence, Sendable {
    typealias Element = Int
    struct AsyncIterator: AsyncIteratorProtocol {
        mutating func next() async -> Int? {
            await sleepForever()
            return nil
        }
    }
    func makeAsyncIterator() -> AsyncIterator { AsyncIterator() }
}

final class Downloader: Screen, @unchecked Sendable {
    var task: Task<Void, Never>?
    var throwing: Task<Screen, any Error>?
    var continuation: CheckedContinuation<Void, Never>?

    func waitForAnswer() async {
        await withCheckedContinuation {
            continuation = $0
            Suspensions.recordSuspension()
        }
        count += 1
    }

    func downloadAll() async {
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<3 { group.addTask { await self.download() } }
            await group.waitForAll()
        }
    }

    func download() async {
        await sleepForever()
        count += 1
    }

    func downloadBoth() async {
        async let first: Void = download()
        async let second: Void = download()
        _ = await (first, second)
    }
}

actor Session {
    var onEnd: (@Sendable () -> Void)?
    var task: Task<Void, Never>?
    isolated deinit { onEnd?() }
    func bind() { onEnd = { use(self) } }
    func start() {
        task = Task { await self.run() }
    }
    func run() async {
        await sleepForever()
        use(onEnd)
    }
}

final class Debouncer: Screen { var pending: DispatchWorkItem? }

extension RetainScenario {
    private static func downloading(_ work: @escaping @Sendable (Downloader) async -> Void) -> Downloader {
        let downloader = Downloader()
        Suspensions.wait {
            downloader.task = Task { [weak downloader] in
                guard let downloader else { return }
                await work(downloader)
            }
        }
        return downloader
    }

    private static let frames = "Downloader.task → Task → async frames → Downloader"

    static let realTasks: [RetainScenario] = [
        .cycle("for await over an own sequence", frames, isSuspected: true) {
            downloading { downloader in
                for await number in Silence() { downloader.count += number }
            }
        },
        .cycle("continuation that is never resumed, in a stored task", frames, isSuspected: true) {
            downloading { await $0.waitForAnswer() }
        },
        .cycle("task group", frames, isSuspected: true) { downloading { await $0.downloadAll() } },
        .cycle("async let", frames, isSuspected: true) { downloading { await $0.downloadBoth() } },
        .cycle(
            "task that ended with self as its value", "Downloader.throwing → Task → Downloader",
            isSuspected: true
        ) {
            let downloader = Downloader()
            downloader.throwing = Task { downloader }
            wait { _ = try? await downloader.throwing?.value }
            return downloader
        },
        .cycle("actor with an isolated deinit", "Session.onEnd → closure → Session") {
            let session = Session()
            wait { await session.bind() }
            return session
        },
        .cycle("task of an actor", "Session.task → Task → closure → Session", isSuspected: true) {
            let session = Session()
            wait { await session.start() }
            return session
        },
        .cycle(
            "debounced work item", "Debouncer.pending → DispatchWorkItem._block → closure → Debouncer",
            isSuspected: true
        ) {
            let debouncer = Debouncer()
            let text = String(repeating: "x", count: Int.random(in: 20...30))
            debouncer.pending = DispatchWorkItem { [debouncer] in
                debouncer.title = text
                debouncer.refresh()
            }
            return debouncer
        },
    ]
}
