internal import LeakMessage

extension SentryEvent {
    /// Reads one event in one pass. A field of the wrong type is as good as none.
    ///
    /// - Throws: ``SentryError`` when it is no JSON object in UTF-8.
    static func read(_ body: [UInt8], in range: Range<Int>) throws(SentryError) -> SentryEvent {
        var event = SentryEvent()
        try SentryJSON.scan(body, in: range, as: "the event") { (scanner) throws(JSONError) in
            try scanner.fields { (scanner, name) throws(JSONError) in try event.field(name, &scanner) }
        }
        return event
    }

    private mutating func field(_ name: String, _ scanner: inout JSONScanner) throws(JSONError) {
        switch name {
        case "event_id": id = EventID.text(try scanner.stringIfAny())
        case "type": type = try scanner.stringIfAny()
        case "timestamp": at = try scanner.timestamp()
        case "level": level = try scanner.stringIfAny()
        case "release": release = try scanner.scalarText()
        case "dist": dist = try scanner.scalarText()
        case "environment": environment = try scanner.stringIfAny()
        case "fingerprint":
            try scanner.elements { (scanner) throws(JSONError) in
                if let part = try scanner.scalarText() { fingerprint.append(part) }
            }
        case "message": message = try scanner.logEntry()
        case "logentry", "sentry.interfaces.Message": logEntry = try scanner.logEntry()
        case "exception", "sentry.interfaces.Exception": try exceptions(&scanner)
        case "debug_meta":
            try scanner.fields { (scanner, name) throws(JSONError) in
                guard name == "images" else {
                    try scanner.skip()
                    return
                }
                try scanner.elements { (scanner) throws(JSONError) in images.append(try scanner.image()) }
            }
        case "tags": try tags(&scanner)
        case "extra":
            try scanner.fields { (scanner, name) throws(JSONError) in
                if let value = try scanner.scalar() { extra.append(CustomKey(name, value)) }
            }
        case "breadcrumbs":
            try scanner.values { (scanner) throws(JSONError) in breadcrumbs.append(try scanner.breadcrumb()) }
        case "user":
            try scanner.fields { (scanner, name) throws(JSONError) in
                if name == "id" { userID = try scanner.scalarText() } else { try scanner.skip() }
            }
        case "contexts": try contexts.read(&scanner)
        default: try scanner.skip()
        }
    }

    /// A map, or a list of pairs.
    private mutating func tags(_ scanner: inout JSONScanner) throws(JSONError) {
        guard try scanner.kind() == .array else {
            try scanner.fields { (scanner, name) throws(JSONError) in
                if let value = try scanner.scalarText() { tags.append((name, value)) }
            }
            return
        }
        try scanner.elements { (scanner) throws(JSONError) in
            var pair: [String?] = []
            try scanner.elements { (scanner) throws(JSONError) in
                let part = try scanner.scalarText()
                if pair.count < 3 { pair.append(part) }
            }
            if pair.count == 2, let name = pair[0], let value = pair[1] { tags.append((name, value)) }
        }
    }

    /// `{"values": […]}`, the list alone, or the one exception alone.
    private mutating func exceptions(_ scanner: inout JSONScanner) throws(JSONError) {
        guard try scanner.kind() == .object else { return try exceptionList(&scanner) }
        var alone = SentryException()
        var isAlone = false
        try scanner.fields { (scanner, name) throws(JSONError) in
            if name == "values" {
                try exceptionList(&scanner)
            } else {
                isAlone = try alone.field(name, &scanner) || isAlone
            }
        }
        if isAlone, exception == nil { take(alone) }
    }

    private mutating func exceptionList(_ scanner: inout JSONScanner) throws(JSONError) {
        try scanner.elements { (scanner) throws(JSONError) in
            guard try scanner.kind() == .object else {
                try scanner.skip()
                return
            }
            var exception = SentryException()
            try scanner.fields { (scanner, name) throws(JSONError) in
                _ = try exception.field(name, &scanner)
            }
            take(exception)
        }
    }

    private mutating func take(_ exception: SentryException) {
        self.exception = exception
        if exception.mechanism.isHandled == false { isUnhandled = true }
    }
}

extension JSONScanner {
    /// RFC 3339, of UTC when it names no zone, or seconds since 1970.
    fileprivate mutating func timestamp() throws(JSONError) -> WireTime? {
        guard try kind() == .number else {
            return try stringIfAny().flatMap { WireTime(rfc3339: $0) ?? WireTime(rfc3339: $0 + "Z") }
        }
        guard let seconds = Double(text(of: try number().slice)), seconds.magnitude < 1e12 else { return nil }
        return WireTime(milliseconds: Int64(seconds * 1000 + (seconds < 0 ? -0.5 : 0.5)))
    }

    /// A text alone, or one with its parameters.
    fileprivate mutating func logEntry() throws(JSONError) -> SentryEvent.LogEntry {
        var entry = SentryEvent.LogEntry()
        guard try kind() == .object else {
            entry.message = try stringIfAny()
            return entry
        }
        try fields { (scanner, name) throws(JSONError) in
            switch name {
            case "formatted": entry.formatted = try scanner.stringIfAny()
            case "message": entry.message = try scanner.stringIfAny()
            default: try scanner.skip()
            }
        }
        return entry
    }

    fileprivate mutating func breadcrumb() throws(JSONError) -> SentryEvent.Breadcrumb {
        var breadcrumb = SentryEvent.Breadcrumb()
        try fields { (scanner, name) throws(JSONError) in
            switch name {
            case "category": breadcrumb.category = try scanner.stringIfAny()
            case "message": breadcrumb.message = try scanner.stringIfAny()
            default: try scanner.skip()
            }
        }
        return breadcrumb
    }

    fileprivate mutating func image() throws(JSONError) -> BinaryImage {
        var image = BinaryImage()
        try fields { (scanner, name) throws(JSONError) in
            switch name {
            case "code_file", "name": image.name = try scanner.stringIfAny() ?? image.name
            case "image_addr": image.address = try scanner.address()
            case "image_size": image.size = try scanner.address()
            default: try scanner.skip()
            }
        }
        return image
    }
}
