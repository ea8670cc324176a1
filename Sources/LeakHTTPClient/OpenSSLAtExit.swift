#if os(Linux)
    #if canImport(Glibc)
        import Glibc
    #endif

    /// The setting that keeps OpenSSL's state in memory while the process exits.
    ///
    /// `exit` runs the cleanup of OpenSSL while other threads still run. A thread in the middle of a TLS handshake then reads freed
    /// memory, and the app crashes while it exits. The system reclaims the memory anyway.
    /// https://docs.openssl.org/3.0/man3/OPENSSL_init_crypto/ (`OPENSSL_INIT_NO_ATEXIT`)
    enum OpenSSLAtExit {
        /// Disables OpenSSL's cleanup at exit. Call it before curl is initialized. It has no effect if curl uses another TLS
        /// library, or if the app has already initialized OpenSSL.
        static func disable() {
            #if canImport(Glibc)
                typealias Initialize = @convention(c) (UInt64, UnsafeRawPointer?) -> Int32
                // The symbol is looked up by name: nothing else in this module needs OpenSSL, and curl may be built without it.
                guard let symbol = unsafe dlsym(nil, "OPENSSL_init_crypto") else { return }
                let initialize = unsafe unsafeBitCast(symbol, to: Initialize.self)
                let noAtExit: UInt64 = 0x0008_0000
                _ = initialize(noAtExit, nil)
            #endif
        }
    }
#endif
