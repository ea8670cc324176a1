#if os(Linux)
    #if canImport(Darwin)
        import Darwin
    #else
        import Glibc
    #endif

    /// Sets a variable of this process, which has to be one of the test's own: other threads may be reading them.
    func setVariable(_ name: String, to value: String) {
        unsafe setenv(name, value, 1)
    }

    /// Sets the proxies of this process, and no others: the tests may run where there are some.
    func setProxies(_ proxies: [String: String]) {
        for name in ["http_proxy", "https_proxy", "all_proxy", "no_proxy"] {
            // curl treats an empty value as no proxy.
            for name in [name, name.uppercased()] { setVariable(name, to: proxies[name] ?? "") }
        }
    }

    /// Makes broken pipes send a signal to this process, which ends it.
    ///
    /// - Returns: `true` if broken pipes were signalled before.
    @discardableResult func signalBrokenPipes() -> Bool {
        let former = signal(SIGPIPE, SIG_DFL)
        return unsafe unsafeBitCast(former, to: Int.self) == unsafeBitCast(SIG_DFL, to: Int.self)
    }
#endif
