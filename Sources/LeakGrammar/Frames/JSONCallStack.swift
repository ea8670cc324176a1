internal import LeakMessage

/// A call stack in JSON: of a MetricKit diagnostic, an `.ips` report, a Sentry event or a KSCrash report, or frames as ``JSONFrame``
/// writes them.
///
/// MetricKit: https://developer.apple.com/documentation/metrickit/mxcallstacktree. `.ips`:
/// https://developer.apple.com/documentation/xcode/interpreting-the-json-format-of-a-crash-report.
struct JSONCallStack {
    /// The text in front of the JSON; after it if no text is in front.
    let head: Text
    /// `true` for a diagnostic or a crash report, in which names are not those of leaked classes.
    let isReport: Bool
    /// The innermost first. At most as many as a report's `stack` has.
    let frames: [JSONFrame.Fields]

    /// - Parameter text: JSON texts one after another, with lines in front of or after them.
    /// - Returns: `nil` for a text with fewer than two frames, and for one with text on both sides.
    init?(_ text: Text) {
        guard text.contains(UInt8(ascii: "{")) else { return nil }
        let marks: [StaticString] = [
            "rames\"", "contents\"", "{\"function\":", "{\"package\":", "{\"debug_id\":",
        ]
        let line = text.lines.prefix(Self.lineLimit).lazy.map(\.trimmed).first {
            $0.first == UInt8(ascii: "{")
        }
        guard let start = line?.startIndex, marks.contains(where: { text[start...].contains($0) }),
            UTF8Validity.firstInvalidByte(in: Array(text[start...])) == nil
        else { return nil }
        var search = FrameSearch()
        let end = search.read(text[start...])
        let frames = search.frames.filter(\.saysPlace)
        let (front, textAfter) = (text[..<start].trimmed, text[end...].trimmed)
        guard frames.count >= 2, front.isEmpty || textAfter.isEmpty else { return nil }
        head = front.isEmpty ? textAfter : front
        isReport = search.isReport
        let sorted = Self.isOutermostFirst(frames) ? frames.reversed() : frames
        self.frames = Array(sorted.prefix(WireLimits.stackCount))
    }

    /// Lines that are looked at for the start of the JSON.
    private static let lineLimit = 16

    /// Returns `true` if the first frame is the function in which threads begin.
    private static func isOutermostFirst(_ frames: [JSONFrame.Fields]) -> Bool {
        ["start", "_dyld_start", "thread_start", "_pthread_start", "start_wqthread"]
            .contains(frames.first?.symbol ?? "")
    }
}

extension JSONFrame.Fields {
    /// `true` if the frame names an image, a module, a file or an address. A function alone may be any text.
    fileprivate var saysPlace: Bool {
        let hasPlace = offset != nil || textOffset != nil || address != nil
        return symbol == nil
            ? (image ?? imageID) != nil && hasPlace
            : hasPlace || [image, module, file].contains { !($0 ?? "").isEmpty }
    }
}

/// A search for lists of frames in JSON, token by token. It is not recursive, so that JSON of any depth fits on a thread's
/// stack.
private struct FrameSearch {
    private struct List {
        let isOutermostFirst: Bool
        var frames: [JSONFrame.Fields] = []
        /// `true` for the thread that the report is about.
        var isSelected = false
    }

    /// An object or array whose end was not read yet.
    private struct Container {
        let kind: JSONScanner.Container
        /// The name of an object's current member; for an array the name that it stands under.
        var name = ""
        /// The list of frames that the elements of an array, or the frames inside a frame, belong to.
        var list: Int?
        /// The index of the frame in its list, for an object that is a frame.
        var frame: Int?
        var fields = JSONFrame.Fields()
        var isImage = false
        /// The number of lists in front of it.
        let firstList: Int
        var isSelected = false
        var elementCount = 0

        init(kind: JSONScanner.Container, firstList: Int) {
            (self.kind, self.firstList) = (kind, firstList)
        }
    }

    /// Frames of a MetricKit tree are nested, two levels for each.
    private static let depthLimit = 1024

    private var lists: [List] = []
    private var images: [JSONFrame.Fields] = []
    /// Frames that are JSON texts of their own, as ``JSONFrame`` writes them.
    private var own: [JSONFrame.Fields] = []
    private var hasOtherTexts = false
    private var open: [Container] = []
    private(set) var isReport = false

    /// The frames of the marked thread, or of the first thread with two frames.
    var frames: [JSONFrame.Fields] {
        let found = lists.first { $0.isSelected } ?? lists.first { $0.frames.count >= 2 }
        return (found?.frames ?? (hasOtherTexts ? [] : own)).map { frame in
            guard let index = frame.imageIndex, images.indices.contains(index) else { return frame }
            var named = frame
            named.image = frame.image ?? images[index].image
            named.imageID = frame.imageID ?? images[index].imageID
            return named
        }
    }

    /// - Returns: where the last value ends; the end of the text if it was cut.
    mutating func read(_ text: Text) -> Int {
        let bytes = Array(text)
        var end = 0
        var search = self
        do {
            try JSONScanner.scan(bytes, depthLimit: Self.depthLimit) { scanner throws(JSONError) in
                while try scanner.kind() == .object {
                    try search.value(&scanner)
                    end = scanner.offset
                }
            }
        } catch {
            // A text that was cut has the frames up to there.
            if !search.open.isEmpty { end = bytes.count }
            while !search.open.isEmpty { search.close() }
        }
        self = search
        return text.startIndex + end
    }

    /// Reads one value with all that is inside.
    private mutating func value(_ scanner: inout JSONScanner) throws(JSONError) {
        repeat {
            let isInside = try begin(&scanner)
            if !isInside { try goOn(&scanner) }
        } while !open.isEmpty
    }

    /// Reads a value that holds no others, or the start of one that does.
    ///
    /// - Returns: `true` if a value inside follows.
    private mutating func begin(_ scanner: inout JSONScanner) throws(JSONError) -> Bool {
        switch try scanner.kind() {
        case .object:
            beginObject()
            guard try scanner.enterObject() else { break }
            try readName(&scanner)
            return true
        case .array:
            beginArray()
            if try scanner.enterArray() { return true }
        case .string:
            set(text: scanner.text(of: try scanner.string()))
            return false
        case .number:
            if let number = try scanner.number().integer { set(number: number) }
            return false
        case .boolean:
            set(isTrue: try scanner.boolean())
            return false
        case .null:
            try scanner.null()
            return false
        }
        close()
        return false
    }

    /// Moves to the next value after one that was read, and closes what ends there.
    private mutating func goOn(_ scanner: inout JSONScanner) throws(JSONError) {
        while let kind = open.last?.kind {
            if try scanner.another(in: kind) {
                if kind == .object { try readName(&scanner) }
                return
            }
            close()
        }
    }

    private mutating func readName(_ scanner: inout JSONScanner) throws(JSONError) {
        let name = scanner.text(of: try scanner.name())
        if ["usedImages", "callStackTree", "callStacks", "crashDiagnostics", "crash"].contains(name) {
            isReport = true
        }
        open[open.count - 1].name = name
    }

    // MARK: Containers

    private mutating func beginArray() {
        var array = Container(kind: .array, firstList: lists.count)
        array.name = open.last?.name ?? ""
        switch array.name {
        case "frames", "contents", "callStackRootFrames":
            // Sentry has the outermost call first.
            let owner = open.dropLast().last?.name ?? ""
            array.list = lists.count
            lists.append(List(isOutermostFirst: owner.hasSuffix("stacktrace")))
        case "subFrames": if open.last?.frame != nil { array.list = open.last?.list }
        default: break
        }
        open.append(array)
    }

    private mutating func beginObject() {
        var object = Container(kind: .object, firstList: lists.count)
        if let parent = open.last, parent.kind == .array {
            open[open.count - 1].elementCount += 1
            object.isImage = parent.name == "usedImages"
            // Of several calls that a function made the first one counts.
            let isOnlyCall = parent.elementCount == 0 || ["frames", "contents"].contains(parent.name)
            if let list = parent.list, isOnlyCall {
                object.list = list
                object.frame = lists[list].frames.count
                lists[list].frames.append(JSONFrame.Fields())
            }
        }
        open.append(object)
    }

    private mutating func close() {
        guard let container = open.popLast() else { return }
        guard container.kind == .object else {
            guard let list = container.list, container.name != "subFrames" else { return }
            lists[list].frames.removeAll { !$0.isFrame }
            if lists[list].isOutermostFirst { lists[list].frames.reverse() }
            return
        }
        if let list = container.list, let frame = container.frame {
            lists[list].frames[frame] = container.fields
        }
        if container.isImage { images.append(container.fields) }
        if container.isSelected {
            for list in container.firstList..<lists.count { lists[list].isSelected = true }
        }
        guard open.isEmpty else { return }
        if container.fields.saysPlace {
            own.append(container.fields)
        } else {
            hasOtherTexts = true
        }
    }

    // MARK: Members of objects

    private mutating func set(text: String) {
        guard let object = open.last, object.kind == .object else { return }
        let name = object.isImage ? Self.imageField(object, text) : object.name
        JSONFrame.set(&open[open.count - 1].fields, name, text: text)
    }

    /// The field of a frame for a member of an image. Of an image of the system the path says more than the name; the path of another
    /// one may have the name of a person.
    private static func imageField(_ image: Container, _ text: String) -> String {
        switch image.name {
        case "name" where image.fields.image == nil: "imageName"
        case "path" where SystemNames.isSystemPath(text): "imageName"
        case "uuid": "debug_id"
        default: ""
        }
    }

    private mutating func set(number: Int) {
        guard let object = open.last, object.kind == .object else { return }
        JSONFrame.set(&open[open.count - 1].fields, object.name, number: number)
    }

    private mutating func set(isTrue: Bool) {
        guard let object = open.last, object.kind == .object else { return }
        if object.name == "in_app" { open[open.count - 1].fields.isOfApp = isTrue }
        if isTrue, ["threadAttributed", "triggered", "crashed"].contains(object.name) {
            open[open.count - 1].isSelected = true
        }
    }
}
