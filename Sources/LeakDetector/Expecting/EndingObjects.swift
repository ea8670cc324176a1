#if canImport(ObjectiveC)
    internal import ObjectiveC

    /// Whether an object is in its end: making a weak reference to it would then stop the app.
    ///
    /// Objective-C's own question. `objc/NSObject.h` declares it, but not for Swift.
    func isEnding(_ object: AnyObject) -> Bool {
        typealias Question = @convention(c) (AnyObject, Selector) -> ObjCBool
        let selector = Selector(("allowsWeakReference"))
        let type: AnyClass? = object_getClass(object)
        // Both are looked up in the cache of the class; `class_getInstanceMethod` takes the runtime's lock each time.
        guard class_respondsToSelector(type, selector),
            let implementation = unsafe class_getMethodImplementation(type, selector)
        else { return false }
        let question = unsafe unsafeBitCast(implementation, to: Question.self)
        return !question(object, selector).boolValue
    }
#else
    /// Whether an object is in its end. Without Objective-C a weak reference to such an object is `nil`, which harms nobody.
    func isEnding(_ object: AnyObject) -> Bool { false }
#endif
