internal import LeakMessage

/// A call stack in JSON: a MetricKit diagnostic, an `.ips` report, a Sentry event, a KSCrash report, or frames that
/// ``JSONFrameCodec`` wrote.
///
/// MetricKit: https://developer.apple.com/documentation/metrickit/mxcallstacktree. `.ips`:
/// https://developer.apple.com/documentation/xcode/interpreting-the-json-format-of-a-crash-report.
struct JSONCallStack {
    /// The text before the JSON, or the text after it if nothing is before it.
    let head: Text
    /// `true` for a MetricKit diagnostic or a crash report. The classes that they name are not leaked classes.
    let isCrashOrDiagnostic: Bool
    /// The frames, innermost first, at most ``WireLimits/stackCount``.
    let frames: [JSONFrameCodec.Fields]

    /// - Parameter text: one or more JSON texts, with other lines before them or after them.
    /// - Returns: `nil` for a text with fewer than two frames, and for a text with other lines on both sides of the JSON.
    init?(_ text: Text) {
        guard text.contains(UInt8(ascii: "{")) else { return nil }
        let marks: [StaticString] = [
            "rames\"", "contents\"", "{\"function\":", "{\"package\":", "{\"debug_id\":",
        ]
        let line = text.lines.prefix(Self.lineLimit).lazy.map(\.trimmed).first {
            $0.first == UInt8(ascii: "{")
        }
        guard let start = line?.startIndex, marks.contains(where: { text[start...].contains($0) }),
            UTF8Validator.firstInvalidByte(in: Array(text[start...])) == nil
        else { return nil }
        var search = FrameSearch()
        let end = search.read(text[start...])
        let frames = search.frames.filter(\.hasLocation)
        let (front, textAfter) = (text[..<start].trimmed, text[end...].trimmed)
        guard frames.count >= 2, front.isEmpty || textAfter.isEmpty else { return nil }
        head = front.isEmpty ? textAfter : front
        isCrashOrDiagnostic = search.isCrashOrDiagnostic
        let sorted = Self.isOutermostFirst(frames) ? frames.reversed() : frames
        self.frames = Array(sorted.prefix(WireLimits.stackCount))
    }

    /// Limit of lines in which the start of the JSON is searched for.
    private static let lineLimit = 16

    /// Returns `true` if the first frame is the function in which threads begin.
    private static func isOutermostFirst(_ frames: [JSONFrameCodec.Fields]) -> Bool {
        ["start", "_dyld_start", "thread_start", "_pthread_start", "start_wqthread"]
            .contains(frames.first?.symbol ?? "")
    }
}

extension JSONFrameCodec.Fields {
    /// `true` if the frame names an image, a module, a file or an address beside its function, or an image and an address
    /// without a function. A function alone may be any text.
    fileprivate var hasLocation: Bool {
        let hasAddress = offset != nil || textOffset != nil || address != nil
        return symbol == nil
            ? (image ?? imageID) != nil && hasAddress
            : hasAddress || [image, module, file].contains { !($0 ?? "").isEmpty }
    }
}

/// A search for lists of frames in JSON, token by token. It is not recursive, so that deeply nested JSON does not overflow a
/// thread's stack.
private struct FrameSearch {
    private struct List {
        let isOutermostFirst: Bool
        var frames: [JSONFrameCodec.Fields] = []
        /// `true` for the thread that crashed or that the report is about.
        var isSelected = false
    }

    /// An object or array whose end has not been read yet.
    private struct Container {
        let kind: JSONScanner.Container
        /// The name of an object's current member; for an array, the name of the member whose value it is.
        var name = ""
        /// The index in `lists` of the list that gets the frames among the elements of an array, or the frames inside a frame.
        var list: Int?
        /// The index of the frame in its list, if the object is a frame.
        var frame: Int?
        var fields = JSONFrameCodec.Fields()
        var isImage = false
        /// The index in `lists` of the first list inside this container, if there is one.
        let firstList: Int
        var isSelected = false
        var elementCount = 0

        init(kind: JSONScanner.Container, firstList: Int) {
            (self.kind, self.firstList) = (kind, firstList)
        }
    }

    /// Limit of nested objects and arrays. A MetricKit tree has two levels for each frame.
    private static let depthLimit = 1024

    private var lists: [List] = []
    private var images: [JSONFrameCodec.Fields] = []
    /// Frames that are separate JSON texts, as ``JSONFrameCodec`` writes them.
    private var separateFrames: [JSONFrameCodec.Fields] = []
    private var hasOtherTexts = false
    /// The containers around the current value, outermost first.
    private var openContainers: [Container] = []
    private(set) var isCrashOrDiagnostic = false

    /// The frames of the selected thread, or else of the first thread with two frames.
    var frames: [JSONFrameCodec.Fields] {
        let found = lists.first { $0.isSelected } ?? lists.first { $0.frames.count >= 2 }
        return (found?.frames ?? (hasOtherTexts ? [] : separateFrames)).map { frame in
            guard let index = frame.imageIndex, images.indices.contains(index) else { return frame }
            var completed = frame
            completed.image = frame.image ?? images[index].image
            completed.imageID = frame.imageID ?? images[index].imageID
            return completed
        }
    }

    /// - Returns: the index at which the last value ends; the end of the text if the text was cut.
    mutating func read(_ text: Text) -> Int {
        let bytes = Array(text)
        var end = 0
        var search = self
        do {
            try JSONScanner.scan(bytes, depthLimit: Self.depthLimit) { scanner throws(JSONError) in
                while try scanner.kind() == .object {
                    try search.readValue(&scanner)
                    end = scanner.offset
                }
            }
        } catch {
            // If the text was cut, the frames before the cut are used.
            if !search.openContainers.isEmpty { end = bytes.count }
            while !search.openContainers.isEmpty { search.close() }
        }
        self = search
        return text.startIndex + end
    }

    /// Reads one value with all values inside it.
    private mutating func readValue(_ scanner: inout JSONScanner) throws(JSONError) {
        repeat {
            let entered = try beginValue(&scanner)
            if !entered { try moveToNextValue(&scanner) }
        } while !openContainers.isEmpty
    }

    /// Reads a string, number, boolean or `null`, or the start of an object or array.
    ///
    /// - Returns: `true` if an object or array was entered, so that a value inside it follows.
    private mutating func beginValue(_ scanner: inout JSONScanner) throws(JSONError) -> Bool {
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

    /// Moves to the next value, and closes the containers that end before it.
    private mutating func moveToNextValue(_ scanner: inout JSONScanner) throws(JSONError) {
        while let kind = openContainers.last?.kind {
            if try scanner.hasAnotherElement(in: kind) {
                if kind == .object { try readName(&scanner) }
                return
            }
            close()
        }
    }

    private mutating func readName(_ scanner: inout JSONScanner) throws(JSONError) {
        let name = scanner.text(of: try scanner.name())
        if ["usedImages", "callStackTree", "callStacks", "crashDiagnostics", "crash"].contains(name) {
            isCrashOrDiagnostic = true
        }
        openContainers[openContainers.count - 1].name = name
    }

    // MARK: Containers

    private mutating func beginArray() {
        var array = Container(kind: .array, firstList: lists.count)
        array.name = openContainers.last?.name ?? ""
        switch array.name {
        case "frames", "contents", "callStackRootFrames":
            // In Sentry's JSON, the outermost call comes first.
            let owner = openContainers.dropLast().last?.name ?? ""
            array.list = lists.count
            lists.append(List(isOutermostFirst: owner.hasSuffix("stacktrace")))
        case "subFrames": if openContainers.last?.frame != nil { array.list = openContainers.last?.list }
        default: break
        }
        openContainers.append(array)
    }

    private mutating func beginObject() {
        var object = Container(kind: .object, firstList: lists.count)
        if let parent = openContainers.last, parent.kind == .array {
            openContainers[openContainers.count - 1].elementCount += 1
            object.isImage = parent.name == "usedImages"
            // In a tree, a function may have made several calls. Only the first call counts.
            let isOnlyCall = parent.elementCount == 0 || ["frames", "contents"].contains(parent.name)
            if let list = parent.list, isOnlyCall {
                object.list = list
                object.frame = lists[list].frames.count
                lists[list].frames.append(JSONFrameCodec.Fields())
            }
        }
        openContainers.append(object)
    }

    private mutating func close() {
        guard let container = openContainers.popLast() else { return }
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
        guard openContainers.isEmpty else { return }
        if container.fields.hasLocation {
            separateFrames.append(container.fields)
        } else {
            hasOtherTexts = true
        }
    }

    // MARK: Members of objects

    private mutating func set(text: String) {
        guard let object = openContainers.last, object.kind == .object else { return }
        let name = object.isImage ? Self.imageField(object, text) : object.name
        JSONFrameCodec.set(&openContainers[openContainers.count - 1].fields, name, text: text)
    }

    /// Returns the field of a frame for a member of an image. For an image of the system, the path is more useful than the name. The path
    /// of another image may contain the name of a person, so it is not read.
    private static func imageField(_ image: Container, _ text: String) -> String {
        switch image.name {
        case "name" where image.fields.image == nil: "imageName"
        case "path" where SystemNames.isSystemPath(text): "imageName"
        case "uuid": "debug_id"
        default: ""
        }
    }

    private mutating func set(number: Int) {
        guard let object = openContainers.last, object.kind == .object else { return }
        JSONFrameCodec.set(&openContainers[openContainers.count - 1].fields, object.name, number: number)
    }

    private mutating func set(isTrue: Bool) {
        guard let object = openContainers.last, object.kind == .object else { return }
        if object.name == "in_app" { openContainers[openContainers.count - 1].fields.isOfApp = isTrue }
        if isTrue, ["threadAttributed", "triggered", "crashed"].contains(object.name) {
            openContainers[openContainers.count - 1].isSelected = true
        }
    }
}
