namespace fovea {}
