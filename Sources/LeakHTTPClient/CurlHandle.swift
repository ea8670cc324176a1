#if os(Linux)
    // Only this file calls libcurl.
    internal import CLeakCurl
    internal import Glibc

    /// One easy handle of libcurl, which is released on deinitialization. It adds no policy; see ``CurlClient``.
    ///
    /// Use it on one thread at a time: https://curl.se/libcurl/c/threadsafe.html
    @safe
    struct CurlHandle: ~Copyable {
        private let handle: UnsafeMutableRawPointer
        /// Buffer for the error message of curl, which is more detailed than the error code.
        private let reason: UnsafeMutablePointer<CChar>
        /// `true` after ``openPublicSocket`` rejected an address.
        private let isAddressRejected: UnsafeMutablePointer<Bool>

        /// The result of initializing curl, which must happen once per process, before the first handle. Swift runs the
        /// initializer of a `static let` once for all threads.
        private static let initializationResult: CURLcode = {
            OpenSSLAtExit.disable()
            return curl_global_init(Int(CURL_GLOBAL_SSL | CURL_GLOBAL_WIN32))
        }()

        init() throws(CurlError) {
            guard Self.initializationResult == CURLE_OK, let handle = unsafe curl_easy_init() else {
                throw CurlError(
                    .other, code: Int(Self.initializationResult.rawValue), "curl cannot be set up")
            }
            let reason = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
            unsafe reason.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
            unsafe self.handle = handle
            unsafe self.reason = reason
            let isAddressRejected = UnsafeMutablePointer<Bool>.allocate(capacity: 1)
            unsafe isAddressRejected.initialize(to: false)
            unsafe self.isAddressRejected = isAddressRejected
            // This fails only if curl does not know the option; error messages are less detailed then.
            _ = unsafe ccurl_set_pointer(handle, CURLOPT_ERRORBUFFER, reason)
        }

        deinit {
            unsafe curl_easy_cleanup(handle)
            unsafe reason.deallocate()
            unsafe isAddressRejected.deallocate()
        }

        /// Makes later transfers connect only to addresses of the public internet.
        func requirePublicAddress() throws(CurlError) {
            try throwIfFailed(
                unsafe ccurl_set_open_socket(handle, openPublicSocket, isAddressRejected),
                setting: CURLOPT_OPENSOCKETFUNCTION)
        }

        func set(_ option: CURLoption, to value: Int) throws(CurlError) {
            try throwIfFailed(unsafe ccurl_set_long(handle, option, value), setting: option)
        }

        /// Sets an option to a string, which curl copies; `nil` restores the default.
        func set(_ option: CURLoption, to value: String?) throws(CurlError) {
            try throwIfFailed(unsafe ccurl_set_string(handle, option, value), setting: option)
        }

        /// Sets an option, unless this version of curl does not know it.
        func setIfKnown(_ option: CURLoption, to value: String) throws(CurlError) {
            let code = unsafe ccurl_set_string(handle, option, value)
            guard code != CURLE_UNKNOWN_OPTION else { return }
            try throwIfFailed(code, setting: option)
        }

        /// Returns the host of an address as curl parses it, including the brackets of IPv6. Another parser might find another
        /// host.
        static func host(of address: String) -> String? {
            let parts = unsafe curl_url()
            defer { unsafe curl_url_cleanup(parts) }
            var host: UnsafeMutablePointer<CChar>?
            guard unsafe curl_url_set(parts, CURLUPART_URL, address, 0) == CURLUE_OK,
                unsafe curl_url_get(parts, CURLUPART_HOST, &host, 0) == CURLUE_OK, let host = unsafe host
            else { return nil }
            defer { unsafe curl_free(host) }
            return unsafe String(cString: host)
        }

        /// Sends one request with the options that were set, and collects the response.
        ///
        /// - Parameters:
        ///   - lines: the header lines, each `Name: value`.
        ///   - body: the body of a POST request; `nil` sends a GET request.
        /// - Returns: the status and the number of connections that curl opened for the request.
        func perform(
            lines: borrowing HeaderLines, body: [UInt8]?, into sink: inout ResponseCollector
        ) throws(CurlError) -> (status: Int, openedConnections: Int) {
            let code = unsafe withUnsafeMutablePointer(to: &sink) { sink in
                unsafe (body ?? []).withUnsafeBytes { bytes in
                    unsafe transfer(lines, hasBody: body != nil, body: bytes, sink: sink)
                }
            }
            if let limitError = sink.limitError {
                throw CurlError(.responseTooLong, code: Int(code.rawValue), limitError)
            }
            guard code == CURLE_OK else { throw failure(code) }
            guard sink.isHeadComplete else { throw CurlError(.broken, "the response breaks off in its head") }
            return (value(of: CURLINFO_RESPONSE_CODE), value(of: CURLINFO_NUM_CONNECTS))
        }

        /// Passes the pointers for one transfer to curl, and clears them before the memory that they point to is released.
        private func transfer(
            _ lines: borrowing HeaderLines, hasBody: Bool, body: UnsafeRawBufferPointer,
            sink: UnsafeMutablePointer<ResponseCollector>
        ) -> CURLcode {
            defer {
                _ = unsafe ccurl_set_list(handle, CURLOPT_HTTPHEADER, nil)
                _ = unsafe ccurl_set_pointer(handle, CURLOPT_POSTFIELDS, nil)
                _ = unsafe ccurl_set_write(handle, receiveBody, nil)
                _ = unsafe ccurl_set_header(handle, receiveLine, nil)
            }
            var code = unsafe ccurl_set_list(handle, CURLOPT_HTTPHEADER, lines.list)
            if code == CURLE_OK { code = unsafe ccurl_set_write(handle, receiveBody, sink) }
            if code == CURLE_OK { code = unsafe ccurl_set_header(handle, receiveLine, sink) }
            if code == CURLE_OK {
                code = unsafe ccurl_set_long(handle, hasBody ? CURLOPT_POST : CURLOPT_HTTPGET, 1)
            }
            if code == CURLE_OK, hasBody {
                code = unsafe ccurl_set_offset(handle, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(body.count))
                // With a null pointer, curl would read the body from standard input instead of sending an empty body.
                let start: UnsafeRawPointer? =
                    unsafe body.isEmpty ? UnsafeRawPointer(reason) : body.baseAddress
                if code == CURLE_OK { code = unsafe ccurl_set_pointer(handle, CURLOPT_POSTFIELDS, start) }
            }
            guard code == CURLE_OK else { return code }
            unsafe reason.pointee = 0
            unsafe isAddressRejected.pointee = false
            return unsafe curl_easy_perform(handle)
        }

        /// Sends a mail with the options that were set.
        ///
        /// - Parameter recipients: the addresses, a line each.
        func upload(_ message: [UInt8], to recipients: borrowing HeaderLines) throws(CurlError) {
            let code = unsafe message.withUnsafeBytes { bytes in
                var rest = unsafe bytes
                return unsafe withUnsafeMutablePointer(to: &rest) { rest -> CURLcode in
                    defer {
                        _ = unsafe ccurl_set_read(handle, readMessage, nil)
                        _ = unsafe ccurl_set_list(handle, CURLOPT_MAIL_RCPT, nil)
                    }
                    var code = unsafe ccurl_set_list(handle, CURLOPT_MAIL_RCPT, recipients.list)
                    if code == CURLE_OK { code = unsafe ccurl_set_read(handle, readMessage, rest) }
                    if code == CURLE_OK { code = unsafe ccurl_set_long(handle, CURLOPT_UPLOAD, 1) }
                    guard code == CURLE_OK else { return code }
                    unsafe reason.pointee = 0
                    unsafe isAddressRejected.pointee = false
                    return unsafe curl_easy_perform(handle)
                }
            }
            guard code == CURLE_OK else { throw failure(code) }
        }

        private func value(of info: CURLINFO) -> Int {
            var value = 0
            return unsafe ccurl_get_long(handle, info, &value) == CURLE_OK ? value : 0
        }

        private func throwIfFailed(_ code: CURLcode, setting option: CURLoption) throws(CurlError) {
            guard code != CURLE_OK else { return }
            let text = unsafe String(cString: curl_easy_strerror(code))
            throw CurlError(
                .other, code: Int(code.rawValue), "curl rejects option \(option.rawValue): \(text)")
        }

        private func failure(_ code: CURLcode) -> CurlError {
            // Another address of the host may have failed for another reason.
            if unsafe isAddressRejected.pointee {
                return CurlError(
                    .addressNotPublic, code: Int(code.rawValue),
                    "the host has an address in a private, loopback or other special network")
            }
            let detail = unsafe String(cString: reason)
            let text = unsafe detail.isEmpty ? String(cString: curl_easy_strerror(code)) : detail
            return CurlError(code: Int(code.rawValue), text)
        }
    }

    /// A list of header lines in curl's format, which is released on deinitialization.
    @safe
    struct HeaderLines: ~Copyable {
        fileprivate private(set) var list: UnsafeMutablePointer<curl_slist>?

        init() { unsafe list = nil }

        deinit { unsafe curl_slist_free_all(list) }

        /// - Throws: ``CurlError`` if memory runs out.
        mutating func append(_ line: String) throws(CurlError) {
            guard let longer = unsafe curl_slist_append(list, line) else {
                throw CurlError(.other, "no memory for a header field")
            }
            unsafe list = longer
        }
    }

    /// Write callback of curl. `context` is the `ResponseCollector` that `perform` lends for one transfer.
    ///
    /// - Returns: the number of bytes accepted; any number other than `size * count` makes curl stop with `CURLE_WRITE_ERROR`.
    private func receiveBody(
        _ bytes: UnsafeMutablePointer<CChar>?, size: Int, count: Int, context: UnsafeMutableRawPointer?
    ) -> Int {
        guard let bytes = unsafe bytes,
            let sink = unsafe context?.assumingMemoryBound(to: ResponseCollector.self)
        else {
            return 0
        }
        let isAccepted = unsafe sink.pointee.appendBody(
            UnsafeRawBufferPointer(start: bytes, count: size * count))
        return isAccepted ? size * count : 0
    }

    /// Header callback of curl, called with one complete line each time. `context` is the same as in `receiveBody`.
    private func receiveLine(
        _ bytes: UnsafeMutablePointer<CChar>?, size: Int, count: Int, context: UnsafeMutableRawPointer?
    ) -> Int {
        guard let bytes = unsafe bytes,
            let sink = unsafe context?.assumingMemoryBound(to: ResponseCollector.self)
        else {
            return 0
        }
        let isAccepted = unsafe sink.pointee.appendLine(
            UnsafeRawBufferPointer(start: bytes, count: size * count))
        return isAccepted ? size * count : 0
    }

    /// Read callback of curl. `context` is the rest of the message that `upload` lends for one transfer.
    ///
    /// - Returns: the number of bytes that were copied; 0 at the end.
    private func readMessage(
        _ bytes: UnsafeMutablePointer<CChar>?, size: Int, count: Int, context: UnsafeMutableRawPointer?
    ) -> Int {
        guard let bytes = unsafe bytes,
            let rest = unsafe context?.assumingMemoryBound(to: UnsafeRawBufferPointer.self)
        else { return 0 }
        let length = unsafe min(rest.pointee.count, size * count)
        unsafe UnsafeMutableRawBufferPointer(start: bytes, count: length).copyBytes(
            from: rest.pointee.prefix(length))
        unsafe rest.pointee = UnsafeRawBufferPointer(rebasing: rest.pointee.dropFirst(length))
        return length
    }

    /// Open-socket callback of curl: opens the socket of a connection, unless its address is not public.
    ///
    /// - Parameter context: the flag that is set for a rejected address.
    private func openPublicSocket(
        context: UnsafeMutableRawPointer?, purpose: curlsocktype,
        address: UnsafeMutablePointer<curl_sockaddr>?
    ) -> curl_socket_t {
        guard let address = unsafe address else { return CURL_SOCKET_BAD }
        let isPublic = unsafe withUnsafePointer(to: &address.pointee.addr) {
            unsafe PublicAddress.contains(
                UnsafeRawBufferPointer(start: $0, count: Int(address.pointee.addrlen)))
        }
        guard isPublic else {
            unsafe context?.assumingMemoryBound(to: Bool.self).pointee = true
            return CURL_SOCKET_BAD
        }
        return unsafe socket(
            address.pointee.family, address.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue),
            address.pointee.protocol)
    }
#endif
