internal import LeakMessage

/// Functions for generic arguments: the text between `<` and `>` in a type's name.
enum Generics {
    /// Replaces generic arguments by `…`, except those of hosting wrappers such as `UIHostingController`. Grouping rules of
    /// version 1 use this form.
    ///
    /// - Returns: the name, and `true` if the arguments contain a type of the app.
    static func erased(_ name: Text) -> (name: Text, hasAppType: Bool) {
        guard name.contains(UInt8(ascii: "<")) else { return (name, false) }
        var result: [UInt8] = []
        var hasAppType = false
        var remainder = name
        // `isHosting` is the result for the text up to `checkedEnd`. The next bracket continues from there, so that each byte
        // is read only once.
        var (isHosting, checkedEnd) = (false, name.startIndex)
        while let open = remainder.firstIndex(of: UInt8(ascii: "<")) {
            result.append(contentsOf: remainder[...open])
            isHosting = self.isHosting(name[checkedEnd..<open], wasHosting: isHosting)
            checkedEnd = open
            let close = indexOfBracket(closing: open, in: remainder)
            let arguments = remainder[(open + 1)..<(close ?? remainder.endIndex)]
            if SystemNames.hasAppType(arguments) { hasAppType = true }
            if close != nil, isHosting {
                result.append(contentsOf: arguments)
            } else {
                result.append(contentsOf: Array("…".utf8))
            }
            result.append(UInt8(ascii: ">"))
            guard let close else {
                remainder = remainder[remainder.endIndex...]
                break
            }
            remainder = remainder[(close + 1)...]
        }
        result.append(contentsOf: remainder)
        return (result[...], hasAppType)
    }

    /// Returns `true` if the last dotted part names a host: `UIHostingController`, `_UIHostingView`, `NSHostingController`, or
    /// another class in which the system hosts SwiftUI views.
    ///
    /// - Parameter wasHosting: `true` if the text before `text` named a host. If `text` has no dot, it continues the last part
    ///   of that name.
    private static func isHosting(_ text: Text, wasHosting: Bool) -> Bool {
        guard let dot = text.lastIndex(of: UInt8(ascii: ".")) else {
            return wasHosting || text.contains("Hosting")
        }
        return text[(dot + 1)...].contains("Hosting")
    }

    // MARK: Version 2 of the grouping rules

    /// Limit of the nesting of arguments that are read.
    private static let depthLimit = 32

    /// Replaces generic arguments that are not types of the app by `…`. In a hosting wrapper, the view that it hosts replaces
    /// the arguments, without its modifiers.
    static func withAppTypes(_ name: Text) -> Text { withAppTypes(name, depth: 0).name }

    private static func withAppTypes(_ name: Text, depth: Int) -> (name: Text, hasAppType: Bool) {
        var result: [UInt8] = []
        var hasAppType = false
        var remainder = name
        while let open = remainder.firstIndex(of: UInt8(ascii: "<")) {
            let head = remainder[..<open]
            guard depth < depthLimit, let close = indexOfBracket(closing: open, in: remainder) else {
                return ((result + head + Array("<…>".utf8))[...], hasAppType)
            }
            let arguments = remainder[(open + 1)..<close]
            result.append(contentsOf: head)
            result.append(UInt8(ascii: "<"))
            if isHosting(head, wasHosting: false) {
                result.append(contentsOf: desugared(hostedView(in: arguments), depth: depth))
                hasAppType = true
            } else {
                let appArguments = splitArguments(arguments).map { appArgument($0, depth: depth + 1) }
                let isAnyKept = appArguments.contains { $0 != nil }
                let shown =
                    isAnyKept ? appArguments.map { $0 ?? Array("…".utf8)[...] } : [Array("…".utf8)[...]]
                result.append(contentsOf: shown.joined(separator: Array(", ".utf8)))
                hasAppType = hasAppType || isAnyKept
            }
            result.append(UInt8(ascii: ">"))
            remainder = remainder[(close + 1)...]
        }
        result.append(contentsOf: remainder)
        return (result[...], hasAppType)
    }

    /// - Returns: `nil` for an argument that is not a type of the app and contains none.
    private static func appArgument(_ text: Text, depth: Int) -> Text? {
        let text = desugared(text, depth: depth)
        let name = text.dropping("any ") ?? text
        let head = name.prefix { $0.isIdentifier || $0 == UInt8(ascii: ".") }
        guard !head.isEmpty, head.endIndex == name.endIndex || name[head.endIndex] == UInt8(ascii: "<") else {
            return isCompoundAppType(name) ? name : nil
        }
        let (shortName, hasAppType) = withAppTypes(name, depth: depth)
        return hasAppType || SystemNames.isAppType(head) ? shortName : nil
    }

    /// Returns the long form of a class: `Array<A>` and `Dictionary<A, B>` for `[A]` and `[A: B]`, and `A` for `A?`
    /// and `A??`.
    static func desugared(_ name: Text) -> Text {
        guard let last = name.last, "]?!".utf8.contains(last) else { return name }
        var type = desugared(name, depth: 0)
        while let wrapped = OptionalTypeReader.wrapped(type) { type = wrapped }
        return type
    }

    /// Returns `Optional<A>`, `Array<A>` and `Dictionary<A, B>` for `A?`, `[A]` and `[A: B]`. The runtime prints the long
    /// forms, debuggers print the short ones.
    private static func desugared(_ text: Text, depth: Int) -> Text {
        let text = text.trimmed
        guard depth < depthLimit else { return text }
        if let inner = text.droppingLast("?") ?? text.droppingLast("!") {
            // In `A & B?` and `() -> A?` only the last part is optional.
            guard Brackets.split(inner, at: " ").count == 1 else { return text }
            return Array("Optional<".utf8) + desugared(inner, depth: depth + 1) + [UInt8(ascii: ">")]
        }
        guard text.first == UInt8(ascii: "["), text.last == UInt8(ascii: "]"),
            Brackets.endIndexIfClosed(ofBracketAtStartOf: text) == text.endIndex, text.count > 2
        else { return text }
        let parts = Brackets.split(text.dropFirst().dropLast(), at: ":")
        let types = parts.map { desugared($0, depth: depth + 1) }
        switch types.count {
        case 1: return Array("Array<".utf8) + types[0] + [UInt8(ascii: ">")]
        case 2:
            return Array("Dictionary<".utf8) + types[0] + Array(", ".utf8) + types[1] + [UInt8(ascii: ">")]
        default: return text
        }
    }

    /// Returns `true` for an optional, an array, a tuple or a function that contains types of the app; `false` for packs, local
    /// types, and texts with an address.
    private static func isCompoundAppType(_ text: Text) -> Bool {
        text.allSatisfy { $0.isIdentifier || " .,<>()[]?&-:".utf8.contains($0) } && !text.contains("0x")
            && !text.contains(UInt8(ascii: "$")) && words(of: text).contains(where: SystemNames.isAppType)
    }

    /// SwiftUI's wrappers of one view: the number of their arguments, and the index of the view among them.
    private static let wrappers: [(name: StaticString, argumentCount: Int, viewIndex: Int)] = [
        ("ModifiedContent", 2, 0), ("Optional", 1, 0), ("Group", 1, 0), ("NavigationView", 1, 0),
        ("NavigationStack", 2, 1), ("ScrollView", 1, 0), ("TabView", 2, 1), ("IDView", 2, 0),
        ("EquatableView", 1, 0), ("VStack", 1, 0), ("HStack", 1, 0), ("ZStack", 1, 0), ("Form", 1, 0),
        ("LazyView", 1, 0), ("SubscriptionView", 2, 1),
    ]

    /// Limit of the nesting of views that are read.
    private static let wrapperLimit = 64

    /// Returns the view before all modifiers and inside of all wrappers: `CheckoutView` for
    /// `Optional<ModifiedContent<CheckoutView, …>>`. A `_ConditionalContent` counts as a wrapper if exactly one of its branches has
    /// a type of the app.
    private static func hostedView(in arguments: Text) -> Text {
        var view = arguments.trimmed
        for _ in 0..<wrapperLimit {
            guard let inner = wrappedView(of: view) else { return view }
            view = inner
        }
        return view
    }

    /// Returns the view inside a wrapper; `nil` for a view that is not a wrapper of one view.
    private static func wrappedView(of view: Text) -> Text? {
        if let inner = view.droppingLast("?") { return inner.trimmed }
        guard let open = view.firstIndex(of: UInt8(ascii: "<")), view.last == UInt8(ascii: ">") else {
            return nil
        }
        var name = view[..<open]
        if let unqualified = name.dropping("SwiftUI.") ?? name.dropping("SwiftUICore.")
            ?? name.dropping("Swift.")
        {
            name = unqualified
        }
        let arguments = view[(open + 1)...].dropLast()
        if name.equals("_ConditionalContent") {
            let views = splitArguments(arguments).map(\.trimmed).filter { SystemNames.hasAppType($0) }
            return views.count == 1 ? views[0] : nil
        }
        guard let wrapper = wrappers.first(where: { name.equals($0.name) }) else { return nil }
        let parts = splitArguments(arguments)
        // A text with another number of arguments, for example because it was cut, does not count as a wrapper.
        guard parts.count == wrapper.argumentCount else { return nil }
        let inner = parts[wrapper.viewIndex].trimmed
        // A list of views is kept whole, because the list identifies the screen better than one of its views.
        return inner.starts(with: "TupleView<") || inner.starts(with: "SwiftUI.TupleView<") ? nil : inner
    }

    /// Returns `true` if a type hosts an `AnyView`, so that its name does not show the hosted view.
    static func isUnnamedHost(_ name: Text) -> Bool {
        guard let open = name.firstIndex(of: UInt8(ascii: "<")), isHosting(name[..<open], wasHosting: false),
            let close = indexOfBracket(closing: open, in: name)
        else { return false }
        let view = hostedView(in: name[(open + 1)..<close])
        return view.equals("AnyView") || view.ends(with: ".AnyView")
    }

    /// Splits the arguments at the commas outside of brackets.
    private static func splitArguments(_ arguments: Text) -> [Text] {
        var parts: [Text] = []
        var (depth, start) = (0, arguments.startIndex)
        for index in arguments.indices {
            switch arguments[index] {
            case UInt8(ascii: "<"), UInt8(ascii: "("), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: ")"), UInt8(ascii: "]"): depth -= 1
            case UInt8(ascii: ">"):
                let isArrow = index > arguments.startIndex && arguments[index - 1] == UInt8(ascii: "-")
                if !isArrow { depth -= 1 }
            case UInt8(ascii: ",") where depth == 0:
                parts.append(arguments[start..<index])
                start = index + 1
            default: continue
            }
        }
        return parts + [arguments[start...]]
    }

    /// Returns the index of the `>` that closes the `<` at `open`. The `>` of an arrow `->` closes nothing.
    static func indexOfBracket(closing open: Int, in name: Text) -> Int? {
        var depth = 0
        for index in open..<name.endIndex {
            switch name[index] {
            case UInt8(ascii: "<"): depth += 1
            case UInt8(ascii: ">"):
                if name[index - 1] == UInt8(ascii: "-") { continue }
                depth -= 1
                if depth == 0 { return index }
            default: continue
            }
        }
        return nil
    }

    /// Replaces each dotted name inside the arguments by the result of `change`.
    static func mapArguments(of name: Text, _ change: (Text) -> Text) -> Text {
        guard let open = name.firstIndex(of: UInt8(ascii: "<")) else { return name }
        var result = Array(name[..<open])
        var word = open
        for index in open..<name.endIndex
        where !(name[index].isIdentifier || name[index] == UInt8(ascii: ".")) {
            result.append(contentsOf: change(name[word..<index]))
            result.append(name[index])
            word = index + 1
        }
        result.append(contentsOf: change(name[word...]))
        return result[...]
    }

    /// Returns the dotted names inside the arguments.
    static func words(of arguments: Text) -> [Text] {
        arguments.split { !($0.isIdentifier || $0 == UInt8(ascii: ".")) }
    }
}

/// A reader of the type `Optional<X>`.
enum OptionalTypeReader {
    /// Returns `X` for `Optional<X>`; `nil` for any other name, and for `Optional<…>`.
    static func wrapped(_ name: Text) -> Text? {
        let inner = (name.dropping("Swift.Optional<") ?? name.dropping("Optional<"))?.droppingLast(">")
        return inner.flatMap { $0.equals("…") ? nil : $0 }
    }
}
