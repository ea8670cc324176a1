extension LeakDetector {
    /// Whether ``stop()`` was called.
    var isStopped: Bool { sweepers.isStopped }

    /// Who watches view controllers and their views; made on first use, since most processes have none.
    @MainActor
    var screens: Screens {
        if let watchedScreens { return watchedScreens }
        let screens = Screens(
            sweeper: sweepers.onMainQueue, ignores: announcer.ignores, ignoresWindow: announcer.ignoresWindow)
        if isStopped { screens.stop() }
        watchedScreens = screens
        return screens
    }

    /// From any thread: screens are let go of on the main one.
    func stopScreens() {
        Task { @MainActor [weak self] in self?.watchedScreens?.stop() }
    }
}
