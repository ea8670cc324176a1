#if canImport(ObjectiveC)
    internal import ObjectiveC

    /// Returns `true` if an object is being deallocated: making a weak reference to it would then stop the app.
    ///
    /// Calls Objective-C's own method. `objc/NSObject.h` declares it, but not for Swift.
    func isDeallocating(_ object: AnyObject) -> Bool {
        typealias WeakReferenceCheck = @convention(c) (AnyObject, Selector) -> ObjCBool
        let selector = Selector(("allowsWeakReference"))
        let type: AnyClass? = object_getClass(object)
        // Both functions search the method cache of the class; `class_getInstanceMethod` takes the runtime's lock at each call.
        guard class_respondsToSelector(type, selector),
            let implementation = unsafe class_getMethodImplementation(type, selector)
        else { return false }
        let allowsWeakReference = unsafe unsafeBitCast(implementation, to: WeakReferenceCheck.self)
        return !allowsWeakReference(object, selector).boolValue
    }
#else
    /// Returns `false`: without Objective-C, a weak reference to an object that is being deallocated is `nil`, which is
    /// harmless.
    func isDeallocating(_ object: AnyObject) -> Bool { false }
#endif
