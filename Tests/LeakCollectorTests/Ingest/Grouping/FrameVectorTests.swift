import LeakGrammar
import LeakMessage
import Testing

@testable import LeakCollector

/// One line of `frames.jsonl`: a call frame that was copied from a public source, with its expected parts, or one of two call
/// stacks of one leak.
struct FrameVector: Decodable, CustomTestStringConvertible {
    let form: String
    let text: String?
    let module: String?
    let function: String?
    let closureOf: String?
    let system: Bool?
    let id: String?
    let stack: [String]?
    let sameAs: String?

    private enum CodingKeys: String, CodingKey {
        case form, text, module, function, system, id, stack
        case closureOf = "closure_of"
        case sameAs = "same_as"
    }

    var testDescription: String { "\(form): \(text ?? id ?? "")" }

    static let all: [FrameVector] = decodedLines(ofVectorFile: "frames")
    static let frames = all.filter { $0.text != nil }
    static let stacks = all.filter { $0.stack != nil }
}

@Suite struct FrameVectorTests {
    @Test(arguments: FrameVector.frames)
    func `module and function of a call frame are read in each form`(vector: FrameVector) {
        let frame = CallFrame(vector.text ?? "", demangle: RuntimeDemangler.demangleFunction)
        // Five frames of `.ips` reports name their image by its number in a list outside of the frame. The modules that
        // the vectors expect come from this list.
        if vector.form != "ips-json" { #expect(frame?.module == vector.module) }
        #expect(frame?.isSystem ?? false == vector.system)
        // The number of a lambda changes when other lambdas are added to the file, so the parsed function has only the class of
        // the lambda.
        if vector.function == "ReportsFragment$$ExternalSyntheticLambda2.onChange" {
            #expect(frame?.function == "lambda in ReportsFragment")
            return
        }
        #expect(frame?.function == vector.function)
        #expect(frame?.enclosingFunction == vector.closureOf ?? vector.function)
    }

    @Test func `there are at least 200 test vectors of call frames, and 40 test vectors of call stacks`() {
        #expect(FrameVector.frames.count >= 200)
        #expect(FrameVector.stacks.count == 40)
    }
}
