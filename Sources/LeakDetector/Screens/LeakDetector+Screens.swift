extension LeakDetector {
    /// `true` if ``stop()`` was called.
    var isStopped: Bool { checkers.isStopped }

    /// The watcher of view controllers and their views. Created on first use, since most processes have no view controllers.
    @MainActor
    var screens: Screens {
        if let watchedScreens { return watchedScreens }
        let screens = Screens(
            checker: checkers.onMainQueue, ignores: notifier.ignores, ignoresWindow: notifier.ignoresWindow)
        if isStopped { screens.stop() }
        watchedScreens = screens
        return screens
    }

    /// Stops ``screens``. May be called on any thread; it releases the screens on the main thread.
    func stopScreens() {
        Task { @MainActor [weak self] in self?.watchedScreens?.stop() }
    }
}
