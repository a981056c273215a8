#' What flexkern will use on this machine
#'
#' Shows the settings that a fit takes when its arguments say nothing else.
#'
#' The number of threads is looked for in this order: the argument `threads`, the option
#' `flexkern.threads`, the environment variable `FLEXKERN_THREADS`, and 2. The memory budget is the
#' argument `memory`, the option `flexkern.memory`, or half of the machine's memory (4 GB where the
#' size is unknown). `verbose` follows the option `flexkern.verbose` and else [interactive()].
#'
#' @return A list of class `flexkern_config`: `version` of the package, `threads` and `cores`
#'   (counts), `memory` (bytes), `cuda` (was the package built for a graphics card), `isa` (the
#'   instruction set in use) and `isas` (those this machine has), `verbose`.
#' @examples
#' flexkern_config()
#' options(flexkern.threads = 1)
#' flexkern_config()$threads
#' options(flexkern.threads = NULL)
#' @export
flexkern_config <- function() {
  core <- fk_config()
  structure(
    list(
      version = package_version_string(), threads = resolve_threads(NULL), cores = core$cores,
      memory = resolve_memory(NULL), cuda = core$cuda, isa = core$isa, isas = core$isas,
      verbose = default_verbose()
    ),
    class = "flexkern_config"
  )
}

#' @method print flexkern_config
#' @export
print.flexkern_config <- function(x, ...) {
  cat("flexkern ", x$version, "\n", sep = "")
  cat("  threads      ", x$threads, " of ", x$cores, " cores\n", sep = "")
  cat("  memory       ", format_bytes(x$memory), "\n", sep = "")
  cat("  instructions ", x$isa, " (available: ", paste(x$isas, collapse = ", "), ")\n", sep = "")
  cat("  cuda         ", if (x$cuda) "yes" else "not in this build", "\n", sep = "")
  cat("  verbose      ", x$verbose, "\n", sep = "")
  invisible(x)
}

package_version_string <- function() as.character(utils::packageVersion("flexkern"))

default_verbose <- function() isTRUE(getOption("flexkern.verbose", interactive()))

resolve_threads <- function(threads) {
  threads <- threads %||% getOption("flexkern.threads") %||% threads_variable() %||% 2L
  check_args(threads = threads)
  as.integer(threads)
}

threads_variable <- function() {
  value <- Sys.getenv("FLEXKERN_THREADS")
  if (!nzchar(value)) return(NULL)
  number <- suppressWarnings(as.numeric(value))
  if (!is_whole(number, 1, 1024)) {
    abort_arg("FLEXKERN_THREADS", value, vocabulary$threads$want)
  }
  number
}

resolve_memory <- function(memory) {
  memory <- memory %||% getOption("flexkern.memory") %||% (machine_memory() / 2)
  check_args(memory = memory)
  as.numeric(memory)
}

# The instruction set; tests pin one.
resolve_isa <- function() {
  isa <- getOption("flexkern.isa", "auto")
  known <- c("auto", fk_config()$isas)
  if (length(isa) == 1L && isa %in% known) return(isa)
  abort_arg("isa", isa, paste("one of", paste0('"', known, '"', collapse = ", ")))
}

# Bytes of memory of this machine, and no more than its control group grants; 8 GB if unknown.
machine_memory <- function() {
  limits <- c(proc_memory(), cgroup_memory())
  if (length(limits)) min(limits) else 8 * 2^30
}

proc_memory <- function() {
  if (!file.exists("/proc/meminfo")) return(NULL)
  line <- grep("^MemTotal:", readLines("/proc/meminfo", n = 5L), value = TRUE)
  as.numeric(gsub("[^0-9]", "", line)) * 1024
}

cgroup_memory <- function() {
  file <- "/sys/fs/cgroup/memory.max"
  if (!file.exists(file)) return(NULL)
  limit <- suppressWarnings(as.numeric(readLines(file, n = 1L, warn = FALSE)))
  if (is.na(limit)) NULL else limit
}

# One number of R's stream, whatever the generator, or the user's own.
draw_seed <- function(seed) {
  check_args(seed = seed)
  if (is.null(seed)) floor(stats::runif(1L) * .Machine$integer.max) else as.numeric(seed)
}

check_device <- function(device) {
  device <- check_choice(device, c("auto", "cpu", "cuda"), "device")
  if (device == "cuda" && !fk_config()$cuda) {
    abort(
      'device = "cuda" was asked for, but no build of this version of flexkern has a GPU device; ',
      'use device = "auto" or "cpu".',
      arg = "device"
    )
  }
  device
}

format_bytes <- function(bytes) {
  unit <- max(1, min(5, 1 + floor(log(max(bytes, 1), 1000))))
  number <- round(bytes / 1000^(unit - 1), 1)
  paste(format(number), c(plural(number, "byte"), "kB", "MB", "GB", "TB")[unit])
}

`%||%` <- function(a, b) if (is.null(a)) b else a
