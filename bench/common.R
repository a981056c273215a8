# Shared by the scripts of this folder.

# Arguments of the form name=value over their defaults; values of the same kind as the defaults,
# several of them separated by commas.
arguments <- function(...) {
  out <- list(...)
  for (pair in strsplit(commandArgs(trailingOnly = TRUE), "=", fixed = TRUE)) {
    if (length(pair) != 2 || !pair[1] %in% names(out)) {
      stop("Write arguments as name=value, with a name of: ", toString(names(out)), call. = FALSE)
    }
    values <- strsplit(pair[2], ",", fixed = TRUE)[[1]]
    out[[pair[1]]] <- methods::as(values, class(out[[pair[1]]]))
  }
  out
}

default_threads <- function() flexkern::flexkern_config()$threads

installed <- function(package) {
  there <- requireNamespace(package, quietly = TRUE)
  if (!there) message(package, " is not installed and left out.")
  there
}

# The rows of a data frame of text or numbers as a markdown table.
markdown <- function(rows) {
  body <- do.call(paste, c(unname(rows), sep = " | "))
  rule <- ifelse(vapply(rows, is.numeric, NA) | seq_along(rows) > 1, "---:", "---")
  cat("", paste("|", paste(names(rows), collapse = " | "), "|"),
      paste0("|", paste(rule, collapse = "|"), "|"), paste("|", body, "|"), "", sep = "\n")
}

decimals <- function(x, digits) {
  ifelse(is.na(x), "-", formatC(x, digits = digits, format = "f"))
}

elapsed <- function(code) system.time(code)[["elapsed"]]

# A file of the folder that FLEXKERN_DATA names, or NULL.
data_file <- function(name) {
  file <- file.path(Sys.getenv("FLEXKERN_DATA"), paste0(name, ".csv.gz"))
  if (file.exists(file)) return(utils::read.csv(file, stringsAsFactors = TRUE))
  message(name, " is left out: no ", basename(file), " in the folder FLEXKERN_DATA.")
}

letters_data <- function() {
  place <- new.env()
  utils::data("LetterRecognition", package = "mlbench", envir = place)
  list(x = as.matrix(place$LetterRecognition[-1]), y = place$LetterRecognition$lettr)
}

# Values to [-1, 1] by the given range.
to_unit <- function(v, range) 2 * (v - range[1]) / (range[2] - range[1]) - 1

squared_error <- function(predicted, y) mean((pmax(-1, pmin(1, predicted)) - y)^2)
