import Foundation

// Measures the cost of the leak detector for an app, and checks its counts under load.

let usage = """
    usage: detector-bench [--rounds 7] [--seconds 5]
           detector-bench --soak [--objects 1000000] [--leaks 1000] [--threads 8] [--any-memory]
           detector-bench --assert

    Measures the cost of LeakDetector.expectDeallocation per object, compared with one DispatchQueue.asyncAfter per
    object, and how often the process wakes up while no object waits, for --seconds in each state.

    --soak lets threads register objects and release all of them except the leaks, and then the leaks. It exits with 1
    unless exactly the leaks were reported, each once, no expectation was dropped, and memory returned to its earlier
    size. --any-memory does not check memory: for a sanitizer, which keeps freed memory. Only for Linux with glibc.

    --assert leaks an object in the mode that stops the process. It exits with 0 only if the process was not stopped.
    """

func fail(_ text: String, code: Int32) -> Never {
    Progress.clear()
    FileHandle.standardError.write(Data("detector-bench: \(text)\n".utf8))
    exit(code)
}

var numbers = ["--rounds": 7, "--seconds": 5, "--objects": 1_000_000, "--leaks": 1_000, "--threads": 8]
var isSoak = false
var checksMemory = true
var arguments = CommandLine.arguments.dropFirst()
while let argument = arguments.popFirst() {
    switch argument {
    case "--help", "-h":
        print(usage)
        exit(0)
    case "--soak": isSoak = true
    case "--any-memory": checksMemory = false
    case "--assert": Assertion.run()
    case let name where numbers[name] != nil:
        guard let number = arguments.popFirst().flatMap({ Int($0) }), number > 0 else {
            fail("\(name) needs a number above zero\n\(usage)", code: 2)
        }
        numbers[name] = number
    default: fail("\(argument) is unknown\n\(usage)", code: 2)
    }
}
@MainActor func number(_ name: String) -> Int { numbers[name] ?? 0 }

guard !checksMemory || (Usage.heap > 0 && Usage.settledMemory.resident > 0) else {
    fail("this program needs /proc and the malloc of glibc, which this system does not have", code: 2)
}
if isSoak {
    guard number("--leaks") <= number("--objects"), number("--threads") <= number("--objects") else {
        fail("--leaks and --threads may be at most --objects", code: 2)
    }
    guard number("--threads") <= Soak.maxThreads else {
        fail("--threads may be at most \(Soak.maxThreads)", code: 2)
    }
    let plan = Plan(objects: number("--objects"), leaks: number("--leaks"))
    let soak = Soak(plan: plan, threads: number("--threads"), checksMemory: checksMemory)
    let failures = soak.run()
    for failure in failures { print("failed: \(failure)") }
    exit(failures.isEmpty ? 0 : 1)
}
Idle.measure(seconds: number("--seconds"))
print()
Costs.measure(rounds: number("--rounds"))
