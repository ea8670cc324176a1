#if canImport(ObjectiveC)
    internal import ObjectiveC

    /// Whether an object is in its end: making a weak reference to it would then stop the app.
    ///
    /// Objective-C's own question. `objc/NSObject.h` declares it, but not for Swift.
    func isEnding(_ object: AnyObject) -> Bool {
        typealias Question = @convention(c) (AnyObject, Selector) -> ObjCBool
        let selector = Selector(("allowsWeakReference"))
        guard let method = unsafe class_getInstanceMethod(object_getClass(object), selector) else {
            return false
        }
        let question = unsafe unsafeBitCast(method_getImplementation(method), to: Question.self)
        return !question(object, selector).boolValue
    }
#else
    /// Whether an object is in its end. Without Objective-C a weak reference to such an object is `nil`, which harms nobody.
    func isEnding(_ object: AnyObject) -> Bool { false }
#endif
