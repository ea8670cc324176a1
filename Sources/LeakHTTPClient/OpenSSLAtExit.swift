#if os(Linux)
    #if canImport(Glibc)
        import Glibc
    #endif

    /// Keeps OpenSSL's state in place while the process exits.
    ///
    /// `exit` runs OpenSSL's clean-up while other threads go on; one that is in the middle of a TLS handshake then reads
    /// freed memory, and the app crashes at its very end. The system takes the memory back anyway.
    /// https://docs.openssl.org/3.0/man3/OPENSSL_init_crypto/ (`OPENSSL_INIT_NO_ATEXIT`)
    enum OpenSSLAtExit {
        /// Call before curl is set up. Does nothing where curl came with another TLS library, or where the app has set
        /// OpenSSL up already.
        static func keep() {
            #if canImport(Glibc)
                typealias Initialize = @convention(c) (UInt64, UnsafeRawPointer?) -> Int32
                // Looked up by name: nothing else of this module needs OpenSSL, and curl may be built without it.
                guard let symbol = unsafe dlsym(nil, "OPENSSL_init_crypto") else { return }
                let initialize = unsafe unsafeBitCast(symbol, to: Initialize.self)
                let noAtExit: UInt64 = 0x0008_0000
                _ = initialize(noAtExit, nil)
            #endif
        }
    }
#endif
