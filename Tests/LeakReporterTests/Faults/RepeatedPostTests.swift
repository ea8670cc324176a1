#if os(Linux)
    import LeakFaultyPeers
    import LeakMessage
    import LeakTransport
    import Testing

    @testable import LeakReporter

    /// libcurl silently posts once more if a reused connection ends before an answer.
    @Suite struct RepeatedPostTests {
        @Test(arguments: [301, 400, 401, 403, 404, 409, 413])
        func `an error response to a POST that libcurl repeated only postpones the batch`(status: Int) throws
        {
            let peer = try HostilePeer { request in
                switch request.number {
                case 0: [.answer(200)]
                // A collector may have counted this request.
                case 1: [.close]
                default: [.answer(status)]
                }
            }
            defer { peer.stop() }
            let transport = CurlTransport()
            let post = TransportRequest(address: "http://127.0.0.1:\(peer.port)", fields: [], body: [1])
            let isPostponed = (0..<3).map { _ in
                if case .postponed = DeliveryResult(transport.post(post), now: WireTime(milliseconds: 0)) {
                    true
                } else {
                    false
                }
            }
            #expect(peer.requests.map(\.connection) == [0, 0, 1, 2])
            #expect(isPostponed == [true, true, false], "libcurl did not repeat the last request")
        }
    }
#endif
