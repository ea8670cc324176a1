internal import LeakGrammar
internal import LeakMessage

extension SentryEvent {
    /// Reads one event in one pass. A field of the wrong type counts as missing.
    ///
    /// - Throws: ``SentryJSONError`` when the event is not a JSON object in UTF-8.
    static func read(_ body: [UInt8], in range: Range<Int>) throws(SentryJSONError) -> SentryEvent {
        var event = SentryEvent()
        try SentryJSONReader.scan(body, in: range, as: "the event") { (scanner) throws(JSONError) in
            try scanner.readFields { (scanner, name) throws(JSONError) in try event.readField(name, &scanner)
            }
        }
        return event
    }

    private mutating func readField(_ name: String, _ scanner: inout JSONScanner) throws(JSONError) {
        switch name {
        case "event_id": id = EventID.normalized(try scanner.readOptionalString())
        case "type": type = try scanner.readOptionalString()
        case "timestamp": at = try scanner.timestamp()
        case "level": level = try scanner.readOptionalString()
        case "release": release = try scanner.scalarText()
        case "dist": dist = try scanner.scalarText()
        case "environment": environment = try scanner.readOptionalString()
        case "fingerprint":
            try scanner.readElements { (scanner) throws(JSONError) in
                if let part = try scanner.scalarText() { fingerprint.add(part) }
            }
        case "message": message = try scanner.logEntry()
        case "logentry", "sentry.interfaces.Message": logEntry = try scanner.logEntry()
        case "exception", "sentry.interfaces.Exception": try readExceptions(&scanner)
        case "debug_meta":
            try scanner.readFields { (scanner, name) throws(JSONError) in
                guard name == "images" else {
                    try scanner.skip()
                    return
                }
                try scanner.readElements { (scanner) throws(JSONError) in
                    let image = try scanner.image()
                    if image.address != nil, images.count < Self.imageLimit { images.append(image) }
                }
            }
        case "tags": try readTags(&scanner)
        case "extra":
            try scanner.readFields { (scanner, name) throws(JSONError) in
                guard let value = try scanner.scalar() else { return }
                if case .string(let text) = value, Self.isKeyOfClass(name), extraClass == nil {
                    extraClass = text
                }
                extra.add(name, value)
            }
        case "breadcrumbs":
            try scanner.readList { (scanner) throws(JSONError) in
                if let line = try scanner.breadcrumb() { breadcrumbs.append(line) }
            }
        case "user":
            try scanner.readFields { (scanner, name) throws(JSONError) in
                if name == "id" { userID = try scanner.scalarText() } else { try scanner.skip() }
            }
        case "contexts": try contexts.read(&scanner)
        case "threads":
            var threads = ThreadSelection()
            try scanner.readList { (scanner) throws(JSONError) in threads.add(try scanner.thread()) }
            threadFrames = threads.frames
        default: try scanner.skip()
        }
    }

    private static func isKeyOfClass(_ name: String) -> Bool {
        let letters = name.lowercased().filter(\.isLetter)
        return ["class", "classname", "leakedclass", "leakclass", "leakingclass", "objectclass"].contains(
            letters)
    }

    /// Reads tags: an object, or a list of pairs.
    private mutating func readTags(_ scanner: inout JSONScanner) throws(JSONError) {
        guard try scanner.kind() == .array else {
            try scanner.readFields { (scanner, name) throws(JSONError) in
                if let value = try scanner.scalarText() { addTag(name, value) }
            }
            return
        }
        try scanner.readElements { (scanner) throws(JSONError) in
            var pair: [String?] = []
            try scanner.readElements { (scanner) throws(JSONError) in
                let part = try scanner.scalarText()
                if pair.count < 3 { pair.append(part) }
            }
            if pair.count == 2, let name = pair[0], let value = pair[1] { addTag(name, value) }
        }
    }

    private mutating func addTag(_ name: String, _ value: String) {
        if name == Self.classTagName {
            classTag = value
            return
        }
        if name == Self.kindTagName { kindTag = value }
        tags.add(name, value)
    }

    /// Reads exceptions: `{"values": […]}`, a list, or one exception.
    private mutating func readExceptions(_ scanner: inout JSONScanner) throws(JSONError) {
        guard try scanner.kind() == .object else { return try readExceptionList(&scanner) }
        var alone = SentryException()
        var isAlone = false
        try scanner.readFields { (scanner, name) throws(JSONError) in
            if name == "values" {
                try readExceptionList(&scanner)
            } else {
                isAlone = try alone.readField(name, &scanner) || isAlone
            }
        }
        if isAlone, exception == nil { setException(alone) }
    }

    private mutating func readExceptionList(_ scanner: inout JSONScanner) throws(JSONError) {
        try scanner.readElements { (scanner) throws(JSONError) in
            guard try scanner.kind() == .object else {
                try scanner.skip()
                return
            }
            var exception = SentryException()
            try scanner.readFields { (scanner, name) throws(JSONError) in
                _ = try exception.readField(name, &scanner)
            }
            setException(exception)
        }
    }

    private mutating func setException(_ exception: SentryException) {
        self.exception = exception
        if exception.mechanism.isHandled == false { isUnhandled = true }
    }
}

extension JSONScanner {
    /// The last second of the year 9999, the last year that RFC 3339 can write, in seconds since 1970.
    private var lastSecond: Double { 253_402_300_799 }

    /// Reads a time: a text in RFC 3339, taken as UTC if it names no zone, or the seconds since 1970.
    fileprivate mutating func timestamp() throws(JSONError) -> WireTime? {
        guard try kind() == .number else {
            let time = try readOptionalString().flatMap {
                WireTime(rfc3339: $0) ?? WireTime(rfc3339: $0 + "Z")
            }
            return time.flatMap { $0.milliseconds >= 0 ? $0 : nil }
        }
        guard let seconds = Double(text(of: try number().slice)), (0...lastSecond).contains(seconds) else {
            return nil
        }
        return WireTime(milliseconds: Int64((seconds * 1000).rounded()))
    }

    /// Reads a text, or an object with a text and its parameters.
    fileprivate mutating func logEntry() throws(JSONError) -> SentryEvent.LogEntry {
        var entry = SentryEvent.LogEntry()
        guard try kind() == .object else {
            entry.message = try readOptionalString()
            return entry
        }
        try readFields { (scanner, name) throws(JSONError) in
            switch name {
            case "formatted": entry.formatted = try scanner.readOptionalString()
            case "message": entry.message = try scanner.readOptionalString()
            case "params": try scanner.parameters(&entry.parameters)
            default: try scanner.skip()
            }
        }
        return entry
    }

    /// Reads parameters: a list, or an object.
    private mutating func parameters(_ parameters: inout LogParameters) throws(JSONError) {
        guard try kind() == .array else {
            try readFields { (scanner, name) throws(JSONError) in
                if let text = try scanner.scalarText() { parameters.add(name, text) }
            }
            return
        }
        var number = 0
        try readElements { (scanner) throws(JSONError) in
            // A parameter of another type counts too, so that the parameters after it keep their numbers.
            parameters.add("\(number)", try scanner.scalarText() ?? "…")
            number += 1
        }
    }

    fileprivate mutating func thread() throws(JSONError) -> SentryThread {
        var thread = SentryThread()
        try readFields { (scanner, name) throws(JSONError) in
            switch name {
            case "crashed": thread.isCrashed = try scanner.readOptionalBoolean() ?? false
            case "current": thread.isCurrent = try scanner.readOptionalBoolean() ?? false
            case "stacktrace": try scanner.stackTrace(&thread.frames)
            default: try scanner.skip()
            }
        }
        return thread
    }

    /// Reads a breadcrumb as `category: message`; `nil` if it has neither.
    fileprivate mutating func breadcrumb() throws(JSONError) -> String? {
        var (category, message): (String?, String?)
        try readFields { (scanner, name) throws(JSONError) in
            switch name {
            case "category": category = try scanner.readOptionalString()
            case "message": message = try scanner.readOptionalString()
            default: try scanner.skip()
            }
        }
        let parts = [category, message].compactMap(\.self).filter { !$0.isEmpty }
        return parts.isEmpty ? nil : parts.joined(separator: ": ")
    }

    fileprivate mutating func image() throws(JSONError) -> BinaryImage {
        var image = BinaryImage()
        try readFields { (scanner, name) throws(JSONError) in
            switch name {
            case "code_file", "name": image.name = try scanner.readOptionalString() ?? image.name
            case "image_addr": image.address = try scanner.address()
            case "image_size": image.size = try scanner.address()
            default: try scanner.skip()
            }
        }
        return image
    }
}
