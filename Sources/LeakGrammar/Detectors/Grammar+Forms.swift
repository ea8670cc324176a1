internal import LeakMessage

// The forms of texts about one object. Each function returns `nil` for a text of another form.

extension Grammar {
    /// Reads LeakedViewControllerDetector 0.5 to 1.4, and DebugSwift's port, which indents by four spaces:
    /// `VIEWCONTROLLER STILL IN MEMORY <Cart: 0x…>`.
    func stillInMemory(_ text: Text) -> FormMatch? {
        let title = text.prefix { $0.isUppercase }
        guard !title.isEmpty, let body = text[title.endIndex...].dropping(" STILL IN MEMORY") else {
            return nil
        }
        var reading = FormMatch(.leakedViewControllerDetector, body.trimmed)
        reading.event = .leak
        fill(&reading, title: title, in: text)
        return reading
    }

    /// Reads the text about the same object after its deallocation: `LEAKED VIEWCONTROLLER DEINNITED …` up to 1.3, `DEINITED` from
    /// 1.4 on, with `Deinited after 8.912s.` at the very end. The text in between may differ from the leak's text, because
    /// `String(format:)` replaced text after percent signs.
    func deinited(_ text: Text) -> FormMatch? {
        guard let remainder = text.dropping("LEAKED ") else { return nil }
        let title = remainder.prefix { $0.isUppercase }
        let after = remainder[title.endIndex...]
        guard !title.isEmpty, let body = after.dropping(" DEINNITED") ?? after.dropping(" DEINITED") else {
            return nil
        }
        var subject = body.trimmed
        var livedMilliseconds: Int?
        for mark: StaticString in ["Deinnited after ", "Deinited after "] {
            guard let range = subject.lastRange(of: mark), isElapsedTime(subject[range.upperBound...]) else {
                continue
            }
            livedMilliseconds = ElapsedTimeParser.milliseconds(of: subject[range.upperBound...])
            subject = subject[..<range.lowerBound].trimmed
            break
        }
        var reading = FormMatch(.leakedViewControllerDetector, subject)
        reading.event = .freed
        reading.livedMilliseconds = livedMilliseconds
        fill(&reading, title: title, in: text)
        return reading
    }

    /// Returns `true` for a text such as `8.912s.`, or for the beginning of such a text if the text was cut. Any number is accepted,
    /// because `String(format:)` prints another number if a percent sign in the text used up the argument.
    private func isElapsedTime(_ text: Text) -> Bool {
        let number = text.dropping("-") ?? text
        let end =
            number.dropping("nan") ?? number.dropping("inf")
            ?? number[ElapsedTimeParser.endOfNumber(atStartOf: number)...]
        return end.isEmpty || end.equals("s") || end.equals("s.")
    }

    /// Sets the kind, class and children of a text of LeakedViewControllerDetector.
    private func fill(_ reading: inout FormMatch, title: Text, in text: Text) {
        reading.kind = title.equals("VIEW") ? .view : .viewController
        reading.subject = withoutAppState(reading.subject)
        reading.tail = Array(text[reading.subject.endIndex...])
        reading.className = className(of: reading.subject)
        guard let remainder = PrintedObject(reading.subject)?.remainder else { return }
        if let list = remainder.dropping(":\n[") {
            reading.children = classNames(in: list)
        } else if remainder.trimmed.starts(with: "📄") {
            reading.children = Self.pages(remainder).compactMap { className(of: $0.page) }
        }
    }

    private func withoutAppState(_ subject: Text) -> Text {
        for mark: StaticString in ["\napp state on leak: ", "\napp state on deinit: "] {
            guard let range = subject.lastRange(of: mark) else { continue }
            let state = subject[range.upperBound...]
            let states: [StaticString] = ["ACTIVE", "INACTIVE", "BACKGROUND", "UNKNOWN STATE"]
            if states.contains(where: { state.equals($0) }) { return subject[..<range.lowerBound].trimmed }
        }
        return subject
    }

    /// Reads DeallocationChecker 1 to 3: `Cart not deallocated after being dismissed`.
    func deallocationChecker(_ text: Text) -> FormMatch? {
        let marks: [StaticString] = [
            " not deallocated after being", " is still in memory even though its view was removed",
        ]
        for mark in marks {
            guard let range = text.firstRange(of: mark) else { continue }
            let head = text[..<range.lowerBound]
            let subject = (head.dropping("Leak Detected").map(withoutSeparators) ?? head).trimmed
            var reading = FormMatch(.deallocationChecker, subject)
            reading.event = .leak
            reading.kind = .viewController
            reading.boundary = text[range]
            reading.tail = Array(text[range])
            reading.className = className(of: subject) ?? firstDescription(in: subject)
            return reading
        }
        return nil
    }

    private func withoutSeparators(_ text: Text) -> Text {
        text.drop {
            $0 <= 0x20 || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: ".")
        }
    }

    /// Reads `Expected deallocation of X`, where X is any description of the object.
    func expectedDeallocation(_ text: Text) -> FormMatch? {
        guard let subject = text.dropping("Expected deallocation of ") else { return nil }
        var reading = FormMatch(.expectDeallocation, subject)
        reading.event = .leak
        reading.className = className(of: subject)
        return reading
    }

    /// Reads `XCTAssertNil failed: "<Cart: 0x…>" - Expected deallocation of Optional(<Cart: 0x…>)`.
    func testAssertion(_ text: Text) -> FormMatch? {
        guard let subject = text.dropping("XCTAssertNil failed: ") else { return nil }
        var reading = FormMatch(.testAssertion, subject)
        reading.event = .leak
        reading.className = className(of: subject)
        guard reading.className == nil, let quoted = subject.dropping("\"") else { return reading }
        // An object without an address: `"Shop.CartModel" - …`
        let end = quoted.firstRange(of: "\" - ")?.lowerBound ?? quoted.droppingLast("\"")?.endIndex
        if let end, let name = TypeName.ifNamed(quoted[..<end], demangle: demangle) {
            reading.subject = quoted[..<end]
            reading.tail = [UInt8(ascii: "\"")]
            reading.className = name.wholeText
        } else if let range = PrivateTextRemover.removed(from: quoted)[...].lastRange(
            of: "Expected deallocation of ")
        {
            reading.className = className(of: PrivateTextRemover.removed(from: quoted)[range.upperBound...])
        }
        return reading
    }

    /// Reads OmniBase: `*** Expected deallocation of <C:0x…> 3.41s ago, possibly failed due to: …` and
    /// `Eventually did deallocate <C:0x…> after 12.41s (3 left)`.
    func omniBase(_ text: Text) -> FormMatch? {
        let text = text.dropping("*** ") ?? text
        if let body = text.dropping("Eventually did deallocate ") {
            let after = body.lastRange(of: "after ")
            let end = after.flatMap { body[..<$0.lowerBound].last == UInt8(ascii: " ") ? $0 : nil }
            var reading = FormMatch(.omniBase, end.map { body[..<($0.lowerBound - 1)] } ?? body)
            reading.event = .freed
            reading.className = className(of: reading.subject)
            if let end {
                let tail = body[end.upperBound...]
                let aliveCountText = tail[ElapsedTimeParser.endOfNumber(atStartOf: tail)...].dropping("s (")
                reading.livedMilliseconds = ElapsedTimeParser.milliseconds(of: tail)
                reading.alive = aliveCountText.flatMap { number(atStartOf: $0) }
                let digitsEnd = aliveCountText.map { $0.prefix { $0.isDigit }.endIndex }
                let elapsedEnd = ElapsedTimeParser.endOfNumber(atStartOf: tail)
                reading.tail = Array(body[reading.subject.endIndex..<(digitsEnd ?? elapsedEnd)])
                // The byte after the number is kept, because it may be the unit of the number.
                if digitsEnd == nil, elapsedEnd < tail.endIndex { reading.tail.append(tail[elapsedEnd]) }
                reading.boundary = body[reading.subject.endIndex..<elapsedEnd]
            }
            return reading
        }
        guard let body = text.dropping("Expected deallocation of "), let end = body.firstRange(of: "s ago")
        else {
            return nil
        }
        guard let space = body[..<end.lowerBound].lastIndex(of: UInt8(ascii: " ")),
            let waitedMilliseconds = ElapsedTimeParser.milliseconds(atStartOf: body[(space + 1)...])
        else { return nil }
        var reading = FormMatch(.omniBase, body[..<space])
        reading.event = .leak
        reading.waitedMilliseconds = waitedMilliseconds
        reading.className = className(of: reading.subject)
        reading.tail =
            Array(body[space..<ElapsedTimeParser.endOfNumber(atStartOf: body[(space + 1)...])])
            + Array("s ago".utf8)
        reading.boundary = body[space..<end.upperBound]
        return reading
    }

    /// Reads the text in LifetimeTracker's documentation: `POSSIBLE LEAK ALERT: Shop.Cart - current count: 2, max count: 1`. From
    /// Objective-C, there are no colons after `count`.
    func lifetimeTracker(_ text: Text) -> FormMatch? {
        guard let body = text.dropping("POSSIBLE LEAK ALERT: ") else { return nil }
        let end = body.lastRange(of: " - current count")
        var reading = FormMatch(.lifetimeTracker, body[..<(end?.lowerBound ?? body.endIndex)])
        reading.event = .leak
        reading.className = className(of: reading.subject)
        if let end {
            let tail = body[end.upperBound...]
            let count = (tail.dropping(":") ?? tail).trimmed
            reading.alive = number(atStartOf: count)
            reading.tail = Array(body[end.lowerBound..<count.prefix { $0.isDigit }.endIndex])
            reading.boundary = body[end]
        }
        return reading
    }

    /// Reads PLeakSniffer: `Detect Possible Controller Leak: Cart`.
    func pLeakSniffer(_ text: Text) -> FormMatch? {
        let controller = text.dropping("Detect Possible Controller Leak:")
        guard let body = controller ?? text.dropping("Detect Possible Leak:") else { return nil }
        var reading = FormMatch(.pLeakSniffer, body.trimmed.firstLine.line.trimmed)
        reading.event = .leak
        reading.kind = controller == nil ? nil : .viewController
        reading.className = className(of: reading.subject)
        return reading
    }

    /// Reads RIBs and its descendants: `<Shop.Cart: 56144> has leaked. Objects are expected …`,
    /// `Cart appearance has leaked.`, `[<A: 0x…>, <B: 0x…>] have leaked`.
    func ribs(_ text: Text) -> FormMatch? {
        let marks: [StaticString] = [
            " appearance has leaked", " apparently has leaked", " apparently have leaked", " has leaked",
            " have leaked",
        ]
        for mark in marks {
            guard let range = text.firstRange(of: mark) else { continue }
            var reading = FormMatch(.ribs, text[..<range.lowerBound])
            reading.event = .leak
            reading.boundary = text[range]
            reading.tail = Array(text[range])
            if let list = reading.subject.dropping("[") {
                let names = list.contains(UInt8(ascii: "<")) ? classNames(in: list) : bareNames(in: list)
                reading.className = names.first
                reading.children = Array(names.dropFirst())
            } else {
                let first = className(of: reading.subject) ?? firstDescription(in: reading.subject)
                // The leaked object is the last object before the mark, so it may be another object than the first.
                let other = first.flatMap { first in
                    PrintedObject(reading.subject)?.remainder.trimmed.isEmpty ?? true
                        ? nil : ClassGuesser.leakedClass(insteadOf: first, in: text, demangle: demangle)
                }
                reading.className = other ?? first
            }
            return reading
        }
        return nil
    }

    /// Returns the names in `A, B]`.
    private func bareNames(in list: Text) -> [String] {
        (list.droppingLast("]") ?? list).split(separator: UInt8(ascii: ",")).prefix(WireLimits.childrenCount)
            .compactMap { TypeName.ifNamed($0, demangle: demangle)?.wholeText }
    }

    /// Reads AMLeaksFinder: `控制器泄漏:<desc>` (a controller leaks), or `视图泄漏:<desc>` (a view leaks) with
    /// `视图所在控制器 Class` (the controller that the view is in), and the path of the user's actions.
    func amLeaksFinder(_ text: Text) -> FormMatch? {
        let controller = text.firstRange(of: "控制器泄漏")
        guard let mark = controller ?? text.firstRange(of: "视图泄漏"), isOrnament(text[..<mark.lowerBound])
        else {
            return nil
        }
        let body = text[mark.upperBound...]
        var subject = (body.dropping(":") ?? body.dropping("：") ?? body).trimmed
        // The number of bytes after the object that mark its end.
        var boundaryByteCount = 0
        if let path = subject.lastRange(of: "\n操作路径") {
            subject = subject[..<path.lowerBound].trimmed
            boundaryByteCount = path.upperBound - subject.endIndex
        }
        var owner: Text?
        if let range = subject.lastRange(of: "视图所在控制器") {
            let line = subject[range.upperBound...].firstLine.line
            owner = (line.dropping(":") ?? line.dropping("：") ?? line).trimmed
            subject = subject[..<range.lowerBound].trimmed
            boundaryByteCount = range.upperBound - subject.endIndex
        }
        var reading = FormMatch(.amLeaksFinder, subject)
        reading.event = .leak
        reading.kind = controller == nil ? .view : .viewController
        reading.className = className(of: subject)
        reading.boundary = body[subject.endIndex...].prefix(boundaryByteCount)
        if let owner, let ownerName = className(of: owner) {
            if let name = reading.className { reading.stack = [ownerName, name] }
            reading.tail = Array("\n视图所在控制器 \(ownerName)".utf8)
        }
        return reading
    }

    /// Returns `true` for symbols without letters, such as emoji, of at most 64 bytes: decoration before a message.
    private func isOrnament(_ text: Text) -> Bool {
        text.count <= 64 && text.allSatisfy { $0 >= 0x80 || $0 <= 0x20 }
            && !text.string.unicodeScalars.contains { $0.properties.isAlphabetic }
    }

    /// Reads the output of a breakpoint on `dealloc` that prints the object:
    /// `--- -[UIViewController dealloc] @"<Cart: 0x…>"`. The text may also say
    /// that the method was not called: `-[Cart dealloc] was never called`.
    func breakpoint(_ text: Text) -> FormMatch? {
        let body = (text.dropping("---") ?? text).trimmed
        guard let call = body.dropping("-["), let end = call.firstRange(of: " dealloc]") else { return nil }
        guard end.lowerBound - call.startIndex <= WireLimits.classBytes else { return nil }
        var reading = FormMatch(.symbolicBreakpoint, call[end.upperBound...].trimmed)
        let base = call[..<end.lowerBound]
        if base.equals("UIViewController") { reading.kind = .viewController }
        if base.equals("UIView") { reading.kind = .view }
        let sentence = reading.subject
        let isObject = sentence.contains {
            $0.isUppercase || $0 == UInt8(ascii: "<") || $0 == UInt8(ascii: "$")
        }
        reading.event = statesMethodNotCalled(sentence) ? .leak : .freed
        let object = isObject ? className(of: sentence) : nil
        let isSystemClass = SystemNames.hasSystemPrefix(base)
        reading.className =
            object ?? (isSystemClass ? firstDescription(in: sentence) : nil)
            ?? TypeName.ifNamed(base, demangle: demangle)?.wholeText
        return reading
    }

    /// Returns `true` for ` was never called` and ` not called within 3s`, but not for ` called, not leaked`.
    private func statesMethodNotCalled(_ sentence: Text) -> Bool {
        let words = sentence.string.lowercased().split { !$0.isLetter && $0 != "'" }.prefix(8)
        guard let denial = words.firstIndex(where: { ["not", "never"].contains($0) || $0.hasSuffix("n't") })
        else {
            return false
        }
        return words[denial...].prefix(4).contains {
            ["called", "invoked", "executed", "reached", "run", "hit"].contains($0)
        }
    }

    private func number(atStartOf text: Text) -> Int? {
        Int(text.prefix { $0.isDigit }.prefix(9).string).map { min($0, WireLimits.aliveCount) }
    }
}

/// A parser of elapsed times such as `8.912s`.
enum ElapsedTimeParser {
    /// Returns the milliseconds of the seconds at the start of `text`, at most the limit of the wire format; `nil` if `text`
    /// does not start with a number, or if the number has more than 12 digits before the point.
    static func milliseconds(atStartOf text: Text) -> Int? {
        let whole = text.prefix { $0.isDigit }
        guard !whole.isEmpty, whole.count <= 12, var milliseconds = Int(whole.string) else { return nil }
        var fraction = text[whole.endIndex...]
        fraction = (fraction.dropping(".") ?? fraction.dropping(",") ?? fraction.prefix(0)).prefix {
            $0.isDigit
        }
        for index in 0..<3 {
            let digit = fraction.dropFirst(index).first.map { Int($0 - UInt8(ascii: "0")) } ?? 0
            milliseconds = milliseconds * 10 + digit
        }
        return min(milliseconds, WireLimits.durationMilliseconds)
    }

    /// Returns the milliseconds of a text that begins with a number and `s`, or is only a number because it was cut; `nil` for
    /// any other text.
    static func milliseconds(of text: Text) -> Int? {
        let end = text[endOfNumber(atStartOf: text)...]
        return end.isEmpty || end.first == UInt8(ascii: "s") ? milliseconds(atStartOf: text) : nil
    }

    /// Returns the end of the number at the start of `text`.
    static func endOfNumber(atStartOf text: Text) -> Int {
        text.prefix { $0.isDigit || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: ",") }.endIndex
    }

    /// Returns the milliseconds after the last `after ` in a text, such as `after 8.912s`; `nil` if no time follows it.
    static func lastElapsedMilliseconds(in text: Text) -> Int? {
        text.lastRange(of: "after ").flatMap { milliseconds(of: text[$0.upperBound...]) }
    }
}
