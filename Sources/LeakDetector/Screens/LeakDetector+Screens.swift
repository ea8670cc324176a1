extension LeakDetector {
    /// Who watches view controllers and their views; made on first use, since most processes have none.
    @MainActor
    var screens: Screens {
        if let watchedScreens { return watchedScreens }
        let screens = Screens(
            sweeper: sweepers.onMainQueue, ignores: announcer.ignores, ignoresWindow: announcer.ignoresWindow)
        watchedScreens = screens
        return screens
    }
}
