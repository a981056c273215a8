// A run's context as R asks for it: threads, seed, memory and device from the options, and the
// hooks that let a user interrupt the run and see its progress.
#ifndef FLEXKERN_R_CONTEXT_H
#define FLEXKERN_R_CONTEXT_H

#include <Rcpp.h>

#include "core/base/context.h"

namespace flexkern {

// Reads threads, seed, memory, device and verbose; those that are not given keep their value.
void fill_context(Context& context, const Rcpp::List& options);

}  // namespace flexkern

#endif
