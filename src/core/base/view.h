// Non-owning column-major matrix views, and the aligned buffer that the tile engine works on.
#ifndef FLEXKERN_BASE_VIEW_H
#define FLEXKERN_BASE_VIEW_H

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>

namespace flexkern {

using index_t = std::ptrdiff_t;

template <typename T>
class MatrixView {
 public:
  MatrixView() = default;
  MatrixView(T* data, index_t rows, index_t cols) : MatrixView(data, rows, cols, rows) {}
  MatrixView(T* data, index_t rows, index_t cols, index_t stride)
      : data_(data), rows_(rows), cols_(cols), stride_(stride) {}
  // A mutable view converts to a constant one.
  template <typename U>
  MatrixView(const MatrixView<U>& other)
      : MatrixView(other.data(), other.rows(), other.cols(), other.stride()) {}

  T& operator()(index_t i, index_t j) const { return data_[i + j * stride_]; }
  T* col(index_t j) const { return data_ + j * stride_; }
  T* data() const { return data_; }
  index_t rows() const { return rows_; }
  index_t cols() const { return cols_; }
  index_t stride() const { return stride_; }

 private:
  T* data_ = nullptr;
  index_t rows_ = 0, cols_ = 0, stride_ = 0;
};

using MatrixRef = MatrixView<double>;
using ConstMatrixRef = MatrixView<const double>;

// Uninitialised storage aligned to a cache line.
template <typename T>
class Buffer {
 public:
  Buffer() = default;
  explicit Buffer(index_t size) : size_(size), data_(allocate(size)) {}
  T* data() const { return data_.get(); }
  index_t size() const { return size_; }
  T& operator[](index_t i) const { return data_.get()[i]; }
  // Grows (never shrinks) and does not keep the content.
  void reserve(index_t size) {
    if (size > size_) *this = Buffer(size);
  }

 private:
  static constexpr std::size_t kAlignment = 64;
  struct Free {
    void operator()(T* p) const { std::free(p); }
  };
  static T* allocate(index_t size) {
    if (size <= 0) return nullptr;
    const std::size_t bytes = static_cast<std::size_t>(size) * sizeof(T);
    void* p = std::aligned_alloc(kAlignment, (bytes + kAlignment - 1) / kAlignment * kAlignment);
    if (!p) throw std::bad_alloc();
    return static_cast<T*>(p);
  }
  index_t size_ = 0;
  std::unique_ptr<T, Free> data_;
};

}  // namespace flexkern

#endif
