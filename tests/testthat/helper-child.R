# Tests of a whole process: its memory, its signals, its children.

# The value of an expression in a new R process that has the package, these helpers and `values`.
in_child <- function(code, values = list()) {
  skip_on_cran()
  skip_on_os("windows")
  files <- tempfile(c("script", "values", "answer"))
  on.exit(unlink(files))
  saveRDS(values, files[2])
  setup <- bquote({
    .libPaths(.(.libPaths()))
    library(flexkern)
    for (file in .(helper_files())) sys.source(file, globalenv())
    list2env(readRDS(.(files[2])), globalenv())
    saveRDS(.(substitute(code)), .(files[3]))
  })
  writeLines(deparse(setup), files[1])
  rscript <- file.path(R.home("bin"), "Rscript")
  said <- suppressWarnings(system2(rscript, c("--vanilla", files[1]), stdout = TRUE, stderr = TRUE))
  if (!file.exists(files[3])) {
    stop("The child process failed:\n", paste(said, collapse = "\n"), call. = FALSE)
  }
  readRDS(files[3])
}

helper_files <- function() {
  normalizePath(test_path(c("helper-fitters.R", "helper-child.R")))
}

# Bytes of this process: "VmRSS" now, "VmHWM" at most so far. NULL where the system does not say.
process_bytes <- function(what) {
  if (!file.exists("/proc/self/status")) return(NULL)
  line <- grep(paste0("^", what, ":"), readLines("/proc/self/status"), value = TRUE)
  1024 * as.numeric(gsub("[^0-9]", "", line))
}

resident_bytes <- function() {
  gc()
  process_bytes("VmRSS")
}

# Bytes that the code takes at its peak, beyond what the process held before.
peak_bytes <- function(code) {
  gc()
  before <- process_bytes("VmHWM")
  force(code)
  process_bytes("VmHWM") - before
}

skip_without_proc <- function() {
  skip_if_not(file.exists("/proc/self/status"), "no /proc/self/status")
}

# Sends this process an interrupt a second after the code has begun. Seconds from the signal until
# the code stopped; NA if it ran to its end.
seconds_to_stop <- function(code) {
  sent <- tempfile()
  command <- sprintf("(sleep 1; date +%%s.%%N > %s; kill -INT %d)", shQuote(sent), Sys.getpid())
  system(command, wait = FALSE)
  stopped <- tryCatch({
    code
    FALSE
  }, interrupt = function(e) TRUE)
  if (stopped) as.numeric(Sys.time()) - as.numeric(readLines(sent)) else NA_real_
}
