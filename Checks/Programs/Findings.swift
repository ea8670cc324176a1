// An app that handles findings. `typecheck` checks it without the marked lines, and with each of the marked lines alone.

import LeakDetector

final class Model {
    var count = 0
}

@MainActor final class Screen {
    var tag = 0
}

/// Uses its model on its own thread.
actor Store {
    private let model = Model()

    func close() {
        LeakDetector.expectDeallocation(of: model)
        model.count += 1
    }
}

@MainActor final class App {
    private var shownCount = 0

    func start() {
        LeakDetector.start(
            .custom(onDetect: { finding in
                if finding.object(as: Screen.self)?.tag == -1 { return .ignore }
                finding.object(as: Model.self)?.count += 1  // must not compile
                (finding.object as? Model)?.count += 1  // must not compile
                self.shownCount += 1
                return finding.isInstance(of: Model.self) ? .report : .ignoreClass
            }))
    }
}

func startOnAQueue(_ app: App) {
    LeakDetector.start(
        .custom(onDetectOnQueue: { finding in
            finding.object(as: Screen.self)?.tag = 1  // must not compile
            (finding.object as? Model)?.count += 1  // must not compile
            app.start()  // must not compile
            let isScreen = finding.isInstance(of: Screen.self)
            Task { print(finding.text) }
            return isScreen ? .report : .ignore
        }))
}
