#pragma once

namespace gpumuster {

// What main() does first, while there is one thread.

// A descriptor 0, 1 or 2 that the caller closed would be given to the first connection, and the
// report would be written into it. Each is opened on /dev/null in the direction in which it is not
// used, so that a use is an error.
void open_standard_descriptors();

// A reader that goes away early is an error of a write, not the end of the process.
void ignore_broken_pipes();

// No core file: one would hold private keys.
void forbid_core_files();

// Raises the soft limit of open descriptors towards the hard one; each visit needs up to three.
void raise_descriptor_limit();

}  // namespace gpumuster
