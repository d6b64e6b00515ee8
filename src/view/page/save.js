// Saves what a view shows as a PNG file.

export function savePicture(view, name) {
  view.snapshot()?.toBlob((blob) => {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  });
}
