import Dispatch
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

final class Ticker: Screen { var timer: Timer? }
final class Worker: Screen {
    var item: DispatchWorkItem?
    var source: (any DispatchSourceTimer)?
    var operation: BlockOperation?
    var thread: Thread?
}
final class Legacy: NSObject { var callback: (() -> Void)? }
final class Client: NSObject, URLSessionDelegate, @unchecked Sendable { var session: URLSession? }
@safe final class Manual: Screen {
    var pointer: UnsafeMutablePointer<Screen>?
    var raw: UnsafeMutableRawPointer?
}

extension RetainScenario {
    static let libraries: [RetainScenario] = [
        // The run loop's part of the timer, in C, holds the timer too.
        .cycle(
            "block of a timer", "Ticker.timer → Timer._fire → closure → Ticker", isHeldElsewhere: true
        ) {
            let ticker = Ticker()
            ticker.timer = Timer(timeInterval: 60, repeats: true) { _ in ticker.refresh() }
            return ticker
        },
        .cycle(
            "block of a work item", "Worker.item → DispatchWorkItem._block → block → Worker",
            isSuspected: true
        ) {
            let worker = Worker()
            worker.item = DispatchWorkItem { worker.refresh() }
            return worker
        },
        .cycle("subclass of NSObject", "Legacy.callback → closure → Legacy") {
            let legacy = Legacy()
            legacy.callback = { use(legacy) }
            return legacy
        },
        .cycle("block of an operation", "Worker.operation → BlockOperation._block → closure → Worker") {
            let worker = Worker()
            worker.operation = BlockOperation { worker.refresh() }
            return worker
        },
        .cycle("block of a thread that did not start", "Worker.thread → Thread._main → closure → Worker") {
            let worker = Worker()
            worker.thread = Thread { worker.refresh() }
            return worker
        },
        .cycle("delegate of a session", "Client.session → URLSession.delegate → Client") {
            let client = Client()
            client.session = URLSession(configuration: .default, delegate: client, delegateQueue: nil)
            return client
        },
    ]

    /// References in memory whose layout is not described.
    static let unreadable: [RetainScenario] = [
        .cycle("handler of a dispatch source", nil) {
            let worker = Worker()
            let source = DispatchSource.makeTimerSource()
            source.setEventHandler { worker.refresh() }
            source.schedule(deadline: .now() + 3600)
            source.resume()
            worker.source = source
            return worker
        },
        .cycle("memory allocated by hand", nil) {
            let manual = Manual()
            let pointer = UnsafeMutablePointer<Screen>.allocate(capacity: 1)
            unsafe pointer.initialize(to: manual)
            unsafe manual.pointer = pointer
            return manual
        },
        .cycle("object retained into a raw pointer", nil) {
            let manual = Manual()
            unsafe manual.raw = Unmanaged.passRetained(manual as Screen).toOpaque()
            return manual
        },
    ]
}
