import Dispatch
import Foundation

final class Cache {
    var screens: [String: Screen] = [:]
    static let shared = Cache()
}
var openScreens: [Screen] = []
final class Account {
    var model: AccountModel?
    static let shared = Account()
}
final class AccountModel {
    var account: Account?
    var peer: AccountModel?
    var onChange: (() -> Void)?
}
/// A variable that holds an object like a local variable of a function that has not returned yet.
nonisolated(unsafe) let localVariable = UnsafeMutablePointer<AccountModel?>.allocate(capacity: 1)
var currentScreen: Screen?

@safe final class Waiter: Screen, @unchecked Sendable {
    var checked: CheckedContinuation<Void, Never>?
    var unchecked: UnsafeContinuation<Void, Never>?
    func waitForever() async {
        Suspensions.recordSuspension()
        await withCheckedContinuation { checked = $0 }
        count += 1
    }
    func waitUnchecked() async {
        Suspensions.recordSuspension()
        await unsafe withUnsafeContinuation { unsafe unchecked = $0 }
        count += 1
    }
}

extension RetainScenario {
    /// Objects without a cycle that something outside holds.
    static let heldObjects: [RetainScenario] = [
        .held("held by a global array", by: "[*] → Detail") {
            let detail = Detail()
            openScreens.append(detail)
            return detail
        },
        .held("held by the dictionary of a singleton", by: "Cache.screens[*] → Detail") {
            let detail = Detail()
            Cache.shared.screens["key"] = detail
            return detail
        },
        .held("held by a global, unowned self and another object in a closure", by: "[*] → Detail") {
            let detail = Detail()
            let service = Service()
            detail.onTap = { [unowned detail] in
                detail.refresh()
                use(service)
            }
            openScreens.append(detail)
            return detail
        },
        .held("held by a global, unowned self in a closure", by: " → Detail") {
            let detail = Detail()
            detail.onTap = { [unowned detail] in detail.refresh() }
            currentScreen = detail
            return detail
        },
        .held("held by a global, unowned property", by: "[*] → Detail") {
            let detail = Detail()
            detail.owner = detail
            openScreens.append(detail)
            return detail
        },
        .held("held by a global, child with unowned parent", by: "[*] → Detail") {
            let detail = Detail()
            detail.part = Part(detail)
            openScreens.append(detail)
            return detail
        },
        .held("held by a global, unmanaged, identifier and raw pointer", by: "[*] → Detail") {
            let detail = Detail()
            unsafe detail.unmanaged = Unmanaged.passUnretained(detail as Screen)
            detail.identifier = ObjectIdentifier(detail)
            unsafe detail.pointer = UnsafeRawPointer(address(of: detail))
            openScreens.append(detail)
            return detail
        },
        .held("held by an observer block of the notification center", by: "NotificationCenter.registrar") {
            let detail = Detail()
            _ = NotificationCenter.default.addObserver(
                forName: Notification.Name("name"), object: nil, queue: nil
            ) { _ in
                detail.refresh()
            }
            return detail
        },
        .held("held by a timer of the main run loop", by: "Timer._fire → closure → Detail") {
            let detail = Detail()
            RunLoop.main.add(
                Timer(timeInterval: 3600, repeats: true) { _ in detail.refresh() }, forMode: .default)
            return detail
        },
        .held("held by a global, task that releases self before each await", by: "[*] → Poller") {
            let poller = Poller()
            Suspensions.wait { poller.task = releasingTask(poller) }
            openScreens.append(poller)
            return poller
        },
        .held("held by an unsafe continuation that is never resumed", by: "async frames? → Waiter") {
            let waiter = Waiter()
            Suspensions.wait {
                Task { [weak waiter] in
                    guard let waiter else { return }
                    await waiter.waitUnchecked()
                }
            }
            return waiter
        },
        .held("held by a checked continuation that is never resumed", by: "async frames? → Waiter") {
            let waiter = Waiter()
            Suspensions.wait {
                Task { [weak waiter] in
                    guard let waiter else { return }
                    await waiter.waitForever()
                }
            }
            return waiter
        },
        .held("held by a block that runs later", by: "closure → Detail") {
            let detail = Detail()
            DispatchQueue.main.asyncAfter(deadline: .now() + 3600) { detail.refresh() }
            return detail
        },
    ]
}

extension RetainScenario {
    /// An object that the queue of its own timer retains. The memory of the timer refers to that queue.
    public static let valueOfItsQueue = held(
        "held by a value of the queue of its timer", by: "value → Worker"
    ) {
        let worker = Worker()
        let queue = DispatchQueue(label: "of a timer")
        queue.setSpecific(key: DispatchSpecificKey<Worker>(), value: worker)
        let source = DispatchSource.makeTimerSource(queue: queue)
        source.setEventHandler {}
        source.schedule(deadline: .now() + 3600)
        source.resume()
        worker.source = source
        return worker
    }

    /// Cycles that must not be broken, because something outside retains another object of the cycle.
    public static let heldCycles: [RetainScenario] = [
        .cycle(
            "singleton and view model", "AccountModel.account → Account.model → AccountModel",
            isHeldElsewhere: true
        ) {
            let model = AccountModel()
            model.account = Account.shared
            Account.shared.model = model
            return model
        },
        .cycle(
            "closure that captures a singleton",
            "AccountModel.onChange → closure → Account.model → AccountModel", isHeldElsewhere: true
        ) {
            let model = AccountModel()
            let account = Account.shared
            let number = Int.random(in: 1...9)
            model.onChange = { use((account, number)) }
            account.model = model
            return model
        },
        .cycle(
            "two objects, the other held by a local variable",
            "AccountModel.peer → AccountModel.peer → AccountModel", isHeldElsewhere: true
        ) {
            let (model, other) = (AccountModel(), AccountModel())
            (model.peer, other.peer) = (other, model)
            unsafe localVariable.initialize(to: other)
            return model
        },
    ]
}
