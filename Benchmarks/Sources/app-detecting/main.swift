import Foundation
import LeakDetector

// The app of `app-plain`, with a detector.

let detector = LeakDetector.start(.log)
let error = NSError(domain: "app", code: 1, userInfo: [NSLocalizedDescriptionKey: "plain"])
let json = try JSONSerialization.data(withJSONObject: [
    "error": error.localizedDescription, "at": Date().description,
])
FileHandle.standardOutput.write(json)
detector.expectDeallocation(of: error)
