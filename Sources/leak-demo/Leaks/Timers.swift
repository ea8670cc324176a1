import Dispatch
import Foundation

/// Scenarios of timers, and of work that has not run yet.
@MainActor
enum Timers {
    static var scenarioGroup: ScenarioGroup {
        ScenarioGroup(
            title: "timers, and work that has not run yet",
            scenarios: [
                Scenario(
                    "a repeating Timer that is never invalidated",
                    keptBy: "Timer._fire → closure → Countdown.timer → Timer", path: ["Offers", "Countdown"],
                    reason: "popped"
                ) { goesWrong in
                    let countdown = Countdown()
                    countdown.start { [weak countdown] in countdown?.seconds -= 1 }
                    if goesWrong { countdown.start { countdown.seconds -= 1 } } else { countdown.stop() }
                    return countdown
                },
                Scenario(
                    "a DispatchSource whose handler holds its owner",
                    keptBy: "DispatchSource → closure → Heartbeat",
                    path: ["Home"], reason: "closed"
                ) { goesWrong in
                    let heartbeat = Heartbeat()
                    if goesWrong {
                        heartbeat.source.setEventHandler { heartbeat.beat() }
                    }
                    heartbeat.source.activate()
                    return heartbeat
                },
                Scenario(
                    "a DispatchWorkItem for later",
                    keptBy: "DispatchWorkItem._block → closure → ReminderScreen.reminder → DispatchWorkItem",
                    path: ["Account", "Reminder"], reason: "dismissed"
                ) { goesWrong in
                    let screen = ReminderScreen()
                    if goesWrong { screen.reminder = DispatchWorkItem { screen.remind() } }
                    return screen
                },
                Scenario(
                    "an operation that was never queued",
                    keptBy: "BlockOperation._block → closure → ExportScreen.operation → BlockOperation",
                    path: ["Account", "Export"], reason: "dismissed"
                ) { goesWrong in
                    let screen = ExportScreen()
                    if goesWrong { screen.operation.addExecutionBlock { screen.export() } }
                    return screen
                },
            ])
    }
}

@MainActor
private final class Countdown {
    var seconds = 90
    private var timer: Timer?

    func start(_ tick: @escaping @MainActor @Sendable () -> Void) {
        stop()
        timer = Timer.scheduledTimer(withTimeInterval: 60, repeats: true) { _ in
            MainActor.assumeIsolated(tick)
        }
    }

    func stop() { timer?.invalidate() }
}

private final class Heartbeat {
    let source = DispatchSource.makeTimerSource(queue: .main)

    init() { source.schedule(deadline: .now() + 60, repeating: 60) }

    func beat() {}
}

private final class ReminderScreen {
    var reminder: DispatchWorkItem?
    func remind() {}
}

private final class ExportScreen: @unchecked Sendable {
    // `Sendable` is unchecked: an operation that is in no queue is used by one thread only.
    let operation = BlockOperation()
    func export() {}
}
