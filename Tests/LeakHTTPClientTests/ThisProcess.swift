#if os(Linux)
    #if canImport(Darwin)
        import Darwin
    #else
        import Glibc
    #endif

    /// Sets an environment variable of this process. Only for a test in its own process, because other threads may read the
    /// environment.
    func setVariable(_ name: String, to value: String) {
        unsafe setenv(name, value, 1)
    }

    /// Sets the proxies of this process and removes all others, because the environment of the tests may contain some.
    func setProxies(_ proxies: [String: String]) {
        for name in ["http_proxy", "https_proxy", "all_proxy", "no_proxy"] {
            // curl treats an empty value as no proxy.
            for name in [name, name.uppercased()] { setVariable(name, to: proxies[name] ?? "") }
        }
    }

    /// Restores the default action of SIGPIPE: a write to a broken pipe ends this process.
    ///
    /// - Returns: `true` if broken pipes were signalled before.
    @discardableResult func signalBrokenPipes() -> Bool {
        let former = signal(SIGPIPE, SIG_DFL)
        return unsafe unsafeBitCast(former, to: Int.self) == unsafeBitCast(SIG_DFL, to: Int.self)
    }
#endif
